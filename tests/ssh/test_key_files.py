"""The files of authorized keys and of the host key."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import asyncssh
import pytest

from pettui.ssh.key_files import LOGGED_EVERY, AuthorizedKeys, host_key
from pettui.ssh.options import SshSetupError
from tests.ssh.conftest import HERE, KEY, OTHER, KeyFile, line, new_key

# Options are understood exactly


KNOWN = [
    ("", True),
    ('from="192.0.2.0/24" ', True),
    ('from="198.51.100.1" ', False),
    ('from="!192.0.2.7,192.0.2.*" ', True),
    ('FROM="192.0.2.1",No-Pty,PTY ', True),
    ('from="!192.0.2.1,*" ', False),
    ('from="2001:db8::/32" ', False),
    ('environment="A=\\"b, c\\"",restrict,pty ', True),
    ('permitopen="a:1",permitopen="b:2" ', True),
    ('expiry-time="209901011200",from="192.0.2.1"\t', True),
    ('expiry-time="20990101120030Z" ', True),
    ('expiry-time="20990101" ', True),
    ('expiry-time="200001011200Z" ', False),
    ("no-pty ", False),
    ("restrict ", False),
    ("restrict,pty ", True),
    ("restrict,pty,no-pty ", False),
    ('no-agent-forwarding,from="192.0.2.1" ', True),
]
NOT_UNDERSTOOD = [
        "command='x' ", 'command="x" ', 'odd="x" ', "no_pty ", "no-pty; ", "restrict.pty ", "!!! ", "restrict ,pty ",
        "restrict, pty ", ",restrict,pty ", "restrict,pty, ", "restrict,,pty ", 'from="192.0.2.1 ',
        'from=192.0.2.1 ', 'from="192.0.2.1"x ', "from='192.0.2.1' ", "from ", 'from="" ',
        'from="192.0.2.0/99" ', 'from="!192.0.2.1/8,*" ', 'from="!evil.example,*" ',
        'from="till.example" ', 'from="*",from="192.0.2.1" ', 'pty="" ', 'no-pty="no" ',
        "expiry-time=20990101 ", 'expiry-time="2099" ', 'expiry-time="20991131" ',
        'expiry-time="2099010112" ', 'expiry-time="٢٠٩٩٠١٠١" ', 'expiry-time="00010101" ',
        'expiry-time="20990101",expiry-time="20000101" ', "cert-authority ", 'principals="x" ',
        "verify-required ", "tunnel ", 'tunnel="0" ', "\u00a0", "x", "restrict,pty\u2028",
        "restrict\\,pty ", '"restrict,pty" ', "# ", "restrict,pty\x0b", "restrict,pty=", "ssh-ed25519 ",
        'environment="PETTUI_USER=" ', 'environment="PETTUI_USER= anna" ',
        'environment="PETTUI_USER=a\tb" ', 'environment="PETTUI_USER=' + "a" * 81 + '" ',
        'environment="PETTUI_USER=anna",environment="PETTUI_USER=ben" ',
]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "allows"), [*KNOWN, *((each, False) for each in NOT_UNDERSTOOD)], ids=repr
)
def test_known_options_are_applied_and_a_line_that_is_not_fully_understood_is_ignored(
    tmp_path: Path, options: str, allows: bool
) -> None:
    assert KeyFile(tmp_path / "keys", options + line(KEY), line(OTHER)).allows(KEY) is allows


@pytest.mark.parametrize(
    "text",
    [
        "# taken out: \u2028{}", "# taken out: \x85{}", "# taken out: \x0c{}", "#\x1c{}", "#{}",
        "ssh-rsa {blob}", "{}=", "ssh-ed25519 AAAA", "x {}", "{kind}{blob}", "{kind}, {blob}",
    ],
    ids=repr,
)  # fmt: skip
def test_a_line_without_a_valid_key_is_ignored(tmp_path: Path, text: str) -> None:
    kind, blob, _ = line(KEY).split(" ", 2)
    filled = text.format(f"{kind} {blob}", kind=kind, blob=blob)
    if text == "{}=":
        filled = f"{kind} {blob}=junk"
    assert not KeyFile(tmp_path / "keys", filled, line(OTHER)).allows(KEY)


def test_a_file_that_is_cut_anywhere_in_a_line_keeps_the_keys_before(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    whole = f'from="192.0.2.0/24",expiry-time="20990101",restrict,pty {line(OTHER)}'
    keys = KeyFile(path, line(KEY), whole)
    for length in range(1, len(whole.rpartition(" ")[0])):
        path.write_text(f"{line(KEY)}\n{whole[:length]}")
        assert keys.keys.refresh() is False, whole[:length]
        assert keys.keys.problem.endswith("is cut off")
        assert keys.allows(OTHER)


def test_a_byte_order_mark_and_comments_in_latin_1_are_read(tmp_path: Path) -> None:
    text = "\n".join(["# für alle", line(new_key("Zoë")), line(KEY), ""])
    content = b"\xef\xbb\xbf" + line(OTHER).encode() + b"\n" + text.encode("latin-1")
    file = KeyFile(tmp_path / "keys", content=content)
    assert file.allows(OTHER)
    assert file.allows(KEY)
    assert [entry.comment for entry in file.keys._keys] == ["another", "Zoë", "anna"]


ANNAS = 'environment="PETTUI_USER=anna" '
BENS = ANNAS.replace("anna", "ben")
IGNORED = "line {} of the authorized keys is ignored: {}"
ONE_COMMENT = "lines 1 and 3 of the authorized keys have one comment, anna, and are two users: "
WARNINGS: dict[str, tuple[list[str], list[str]]] = {
    "comments and blanks": (["# a comment", "", "\t# another", line(KEY)], []),
    "an expired key": (
        [line(OTHER), f'expiry-time="200001011200Z" {line(KEY)}'],
        ["line 2 of the authorized keys has expired: 2000-01-01 12:00+00:00"],
    ),
    "lines that are not understood": (
        ["no_pty " + line(KEY), "!!! " + line(KEY), line(OTHER)],
        [
            IGNORED.format(1, "what it begins with is not supported"),
            IGNORED.format(2, "its options are malformed"),
        ],
    ),
    "a line that is cut": (
        [line(KEY), 'from="192.0.2.0/24",rest'], [IGNORED.format(2, "what it begins with is not supported")],
    ),
    "a key on two lines": ([f'from="192.0.2.{each}" {line(KEY)}' for each in (1, 2)], []),
    "two keys of one account": ([ANNAS + line(KEY), ANNAS + line(new_key("anna"))], []),
    **{
        f"two users with one comment, {first}{second}": (
            [first + line(KEY), line(OTHER), second + line(new_key("anna"))], [ONE_COMMENT],
        )
        for first, second in (("", ""), (ANNAS, ""), (ANNAS, BENS))
    },
}  # fmt: skip


@pytest.mark.parametrize(("lines", "said"), WARNINGS.values(), ids=WARNINGS)
def test_what_is_wrong_with_lines_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, lines: list[str], said: list[str]
) -> None:
    file = KeyFile(tmp_path / "keys", *lines)
    for _ in range(5):
        file.allows(KEY)
    file.write(*lines, "# more")
    file.allows(KEY)
    assert len(caplog.messages) == len(said)
    assert all(map(str.startswith, caplog.messages, said))


# To whose account a key belongs


@pytest.mark.parametrize(
    ("options", "account"),
    [
        ("", None),
        ('environment="PETTUI_USER=anna" ', "anna"),
        ('restrict,pty,ENVIRONMENT="LANG=C",environment="PETTUI_USER=Anna Ö" ', "Anna Ö"),
        ('environment="PETTUI_USER=a\\"b",environment="LANG=C" ', 'a"b'),
        ('environment="XPETTUI_USER=anna" ', None),
    ],
)
def test_a_line_names_the_account_of_its_key(
    tmp_path: Path, options: str, account: str | None
) -> None:
    found = KeyFile(tmp_path / "keys", options + line(KEY)).keys.find(KEY.convert_to_public(), HERE)
    assert found is not None
    assert found.account == account


def test_an_account_has_all_keys_whose_lines_name_it(tmp_path: Path) -> None:
    expired = f'expiry-time="20000101",environment="PETTUI_USER=anna" {line(OTHER)}'
    theirs = f'environment="PETTUI_USER=ben" {line(new_key())}'
    keys = KeyFile(tmp_path / "keys", ANNAS + line(KEY), expired, theirs, line(new_key())).keys
    assert keys.fingerprints_of("anna") == {KEY.get_fingerprint(), OTHER.get_fingerprint()}
    assert keys.fingerprints_of(None) == frozenset()


# A file that fails, and recovers


Spoil = Callable[[Path], object]
UNREADABLE: dict[str, Spoil] = {
    "a directory": lambda path: (path.unlink(), path.mkdir()),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path, 0o600)),
    "open to others": lambda path: path.chmod(0o622),
    "huge": lambda path: os.truncate(path, 5_000_000),
    "a link to itself": lambda path: (path.unlink(), path.symlink_to(path)),
}
HALF_COPIED: dict[str, Spoil] = {
    "half copied": lambda path: path.write_text(line(KEY) + "\n" + line(OTHER)[:50]),
}
FOR_NOBODY: dict[str, Spoil] = {
    "empty": lambda path: path.write_text(""),
    "comments": lambda path: path.write_text(f"# none\n#{line(OTHER)}\n"),
    "ignored": lambda path: path.write_text(f"no_pty {line(OTHER)}\n"),
    "expired": lambda path: path.write_text(f'expiry-time="20000101" {line(OTHER)}\n'),
    "without a terminal": lambda path: path.write_text(f"no-pty {line(OTHER)}\n"),
    "UTF-16": lambda path: path.write_text(line(OTHER), "utf-16"),
    "a private key": lambda path: path.write_bytes(OTHER.export_private_key()),
    "gone": lambda path: path.unlink(),
    "gone with its directory": lambda path: path.parent.rename(path.parent.with_name("away")),
}
TEN_MINUTES = 600


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "etc").mkdir()
    return tmp_path / "etc" / "keys"


@pytest.mark.parametrize(
    "spoil", [*UNREADABLE.values(), *HALF_COPIED.values()], ids=[*UNREADABLE, *HALF_COPIED]
)
def test_the_keys_read_before_stay_while_the_file_cannot_be_used_which_is_said_each_half_minute(
    path: Path, spoil: Spoil, caplog: pytest.LogCaptureFixture
) -> None:
    keys = KeyFile(path, line(KEY), line(OTHER))
    assert keys.allows(KEY)
    spoil(path)
    for second in range(TEN_MINUTES):
        assert not keys.keys.watch(second)
        assert second % 100 or keys.allows(OTHER)
    messages = [record.message for record in caplog.records]
    assert len(messages) == TEN_MINUTES / LOGGED_EVERY
    assert all(message.endswith("; the keys read before stay") for message in messages)
    if path.is_dir():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
    keys.write(line(KEY))
    assert keys.keys.watch(TEN_MINUTES)
    assert keys.allows(KEY)
    assert not keys.allows(OTHER)
    assert len(caplog.records) == len(messages)


@pytest.mark.parametrize("spoil", FOR_NOBODY.values(), ids=FOR_NOBODY)
def test_a_file_that_lets_nobody_in_or_is_gone_does_so_from_the_next_login_on(
    path: Path, spoil: Spoil, caplog: pytest.LogCaptureFixture
) -> None:
    keys = KeyFile(path, line(KEY), line(OTHER))
    assert keys.allows(KEY)
    spoil(path)
    assert not keys.allows(KEY)
    assert not keys.allows(OTHER)
    assert caplog.records == [], "the parent says it"
    for second in range(TEN_MINUTES):
        keys.keys.watch(second)
    said = [each.message for each in caplog.records if "nobody can log in" in each.message]
    assert len(said) == TEN_MINUTES / LOGGED_EVERY
    others = {*caplog.messages} - {*said}
    assert len(caplog.records) - len(said) == len(others), "of a line: once"
    path.parent.mkdir(exist_ok=True)
    keys.write(line(KEY))
    assert keys.allows(KEY)


def test_what_the_parent_read_last_counts_where_a_worker_has_not_seen_it(path: Path) -> None:
    """One to which nobody came while the file was there, in which a key was taken out."""
    parent, worker = KeyFile(path, line(KEY), line(OTHER)).keys, AuthorizedKeys(path)
    KeyFile(path, line(KEY))
    assert parent.watch(0.0)
    path.chmod(0o622)
    assert not parent.watch(1.0)
    worker.use(parent.content)
    assert worker.find(KEY.convert_to_public(), HERE) is not None
    assert worker.find(OTHER.convert_to_public(), HERE) is None


def test_an_ignored_line_without_an_end_that_was_there_before_keeps_no_revoked_key(
    path: Path,
) -> None:
    text = f"{line(OTHER)}\n{line(KEY)}\ncommand=x {line(KEY)}"
    file = KeyFile(path, content=text.encode())
    path.write_text(text.partition("\n")[2])
    assert not file.allows(OTHER)
    assert file.allows(KEY)


def test_after_a_failed_read_the_file_is_read_again(tmp_path: Path) -> None:
    keys = KeyFile(tmp_path / "keys", line(KEY))
    keys.write(line(KEY), line(OTHER))
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, usual[1]))  # no descriptor is left
    try:
        assert not keys.allows(OTHER)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)
    assert keys.allows(OTHER)
    assert keys.allows(KEY)


@pytest.mark.parametrize("why", [*UNREADABLE, *FOR_NOBODY])
def test_a_file_that_cannot_be_used_or_lets_nobody_in_at_the_start_is_an_error(
    path: Path, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_text(line(KEY))
    path.chmod(0o600)
    {**UNREADABLE, **FOR_NOBODY}[why](path)
    with pytest.raises(SshSetupError, match="--authorized-keys "):
        AuthorizedKeys(path)
    assert "AAAA" not in caplog.text, "nothing of it gets into the log"


# The host key is created once, private, and checked


def test_the_host_key_is_created_once_with_the_comment_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "state" / "key"
    key = host_key(path, "clock")
    assert key.get_comment() == "clock"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert host_key(path, "clock").get_fingerprint() == key.get_fingerprint()
    assert list(path.parent.iterdir()) == [path]


def test_a_host_key_is_created_on_a_file_system_without_links_and_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_arguments: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    monkeypatch.setattr("os.link", unsupported)
    monkeypatch.setattr("fcntl.flock", unsupported)
    path = tmp_path / "key"
    assert host_key(path, "clock").get_fingerprint() == host_key(path, "clock").get_fingerprint()
    assert list(tmp_path.iterdir()) == [path]


def test_servers_that_start_at_once_have_the_same_host_key(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from pettui.ssh.key_files import host_key;"
        "print(host_key(pathlib.Path(sys.argv[1]), 'clock').get_fingerprint())"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "key")]
    started = [subprocess.Popen(words, stdout=subprocess.PIPE) for _ in range(4)]
    assert len({process.communicate()[0] for process in started}) == 1
    assert [process.returncode for process in started] == [0] * 4


def private_key(kind: str) -> bytes:
    return asyncssh.generate_private_key(kind).export_private_key()


NO_HOST_KEYS: dict[str, tuple[Spoil, str]] = {
    "a pipe": (lambda path: os.mkfifo(path, 0o600), "it is not a regular file"),
    "open to others": (
        lambda path: (path.write_bytes(private_key("ssh-ed25519")), path.chmod(0o644)), "chmod 600",
    ),
    "a text": (lambda path: path.write_text("none"), "private key"),
    "what asyncssh makes a pattern of": (
        lambda path: path.write_bytes(b"-----BEGIN ( PRIVATE KEY-----\n"), "private key",
    ),
    "of another kind": (
        lambda path: path.write_bytes(private_key("ecdsa-sha2-nistp256")), "Ed25519",
    ),
    "below a file": (lambda path: path.parent.touch(), "can't be used"),
}  # fmt: skip


@pytest.mark.parametrize("why", NO_HOST_KEYS)
def test_a_host_key_that_cannot_be_used_is_an_error_at_once(tmp_path: Path, why: str) -> None:
    spoil, words = NO_HOST_KEYS[why]
    path = tmp_path / "file" / "key"
    if why != "below a file":
        path.parent.mkdir()
    spoil(path)
    if path.is_file() and why != "open to others":
        path.chmod(0o600)
    with pytest.raises(SshSetupError, match=words):
        host_key(path, "clock")


@pytest.mark.parametrize("address", ["", "no address", "fe80::1%eth0", "\x00"], ids=repr)
def test_an_address_that_cannot_be_matched_is_refused_by_from(tmp_path: Path, address: str) -> None:
    keys = KeyFile(tmp_path / "keys", 'from="192.0.2.1" ' + line(KEY), line(OTHER))
    assert not keys.allows(KEY, address)
    assert keys.allows(OTHER, address)
