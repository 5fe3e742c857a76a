"""The key file: its content, its permissions, and that a running service follows it."""

from __future__ import annotations

import asyncio
import resource
import shutil
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest

from pettui.service import server
from pettui.service.keys import (
    KeyFile,
    KeyFileError,
    Keys,
    KeysUnusableError,
    KnownKey,
    ServedKeys,
    add_key,
    list_keys,
    read_uses,
    remove_key,
    replace_key,
)
from tests.exhaustive import product
from tests.service.running_service import running_service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "made" / "keys"


def name_of(keys: Keys, key: bytes) -> str | None:
    """Return the name of a key with which a request is accepted, or None."""
    try:
        known = keys.find(key)
    except KeysUnusableError:
        return None
    return None if known is None or known.has_expired else known.name


def test_a_new_key_is_known_and_not_stored(path: Path) -> None:
    key = add_key(path, "till-1")
    assert key.startswith("pettui_")
    assert len(key) > 40
    assert key.removeprefix("pettui_") not in path.read_text()
    assert name_of(KeyFile(path), key.encode()) == "till-1"


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parents[1] / "disk" / "keys")


def append(line: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(f"{path.read_text()}\n{line}\n")


NO_SUCH_DAY = f"till-9  sha256:{'0' * 64}  2026-11-31"
LINES = ("a-secret-key", "till-1 sha256:00 2026-01-01", NO_SUCH_DAY,
         NO_SUCH_DAY.replace("2026-11-31", "٢٠٢٦-٠١-٠١"))  # fmt: skip
USES = (list_keys, KeyFile, lambda path: add_key(path, "till-2"))
# What became of a file with till-1, and audit, which ends; what is done then, and what is said.
REFUSED: list[tuple[Callable[[Path], object], Callable[[Path], object], str]] = [
    (Path.exists, lambda path: add_key(path, "till-1"), "till-1 already exists"),
    *(
        (Path.exists, partial(add_key, name=name), "must consist of at most 64 letters")
        for name in ("", "-x", "x\n", "a" * 65)
    ),
    *((partial(Path.chmod, mode=0o640), use, "chmod 600") for use in USES),
    *((append(line), list_keys, "line 4, was not written by") for line in LINES),
    (link, lambda path: add_key(path, "till-2"), "can't be written: no such file"),
    (Path.exists, lambda path: remove_key(path, "none"), "'none' is not in"),
    (Path.exists, lambda path: replace_key(path, "none"), "'none' is not in"),
    (Path.exists, lambda path: replace_key(path, "audit"), "give --expires, too"),
]


@pytest.mark.parametrize(("spoil", "use", "reason"), REFUSED)
def test_what_a_file_cannot_have_is_refused_and_changes_nothing(
    path: Path, spoil: Callable[[Path], object], use: Callable[[Path], object], reason: str
) -> None:
    add_key(path, "till-1")
    add_key(path, "audit", expires=date(2999, 1, 31))
    spoil(path)
    before = path.read_text() if path.exists() else None
    with pytest.raises(KeyFileError, match=reason) as refusal:
        use(path)
    assert not any(line in str(refusal.value) for line in LINES)
    assert (path.read_text() if path.exists() else None) == before


def an_hour_later() -> int:
    return time.time_ns() + 3600 * 10**9


def test_keys_that_are_added_at_once_are_all_stored(path: Path) -> None:
    names = [f"till-{number}" for number in range(20)]
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda name: add_key(path, name), names))
    assert len(set(keys)) == 20
    assert {entry.name for entry in list_keys(path)} == set(names)


def test_a_symbolic_link_stays_and_what_it_leads_to_is_replaced(path: Path, tmp_path: Path) -> None:
    real = tmp_path / "secrets" / "keys"
    real.parent.mkdir()
    path.parent.mkdir()
    path.symlink_to(real)
    keys = KeyFile(path)
    key = add_key(path, "till-1").encode()
    assert path.is_symlink()
    assert [entry.name for entry in list_keys(real)] == ["till-1"]
    assert name_of(keys, key)
    remove_key(path, "till-1")
    assert path.is_symlink()
    assert real.read_text() == "\n"


def test_a_key_of_this_run_ends_with_the_first_change_of_the_file(path: Path) -> None:
    keys = ServedKeys(["fixed"], path, "made")
    assert name_of(keys, b"made")
    added = add_key(path, "till-1")
    remove_key(path, "till-1")
    assert name_of(keys, b"made") is None
    assert name_of(keys, added.encode()) is None
    assert name_of(keys, b"fixed")


def test_a_file_that_is_cut_off_makes_no_key_of_one_that_may_do_more(path: Path) -> None:
    """The last line without its end could have lost "read-only", or the day of its end."""
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    add_key(path, "audit", is_read_only=True, expires=tomorrow)
    whole = path.read_bytes()
    for length in range(1, len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(KeyFileError, match="is cut off"):
            list_keys(path)
        with pytest.raises(KeyFileError, match="is cut off"):
            add_key(path, "till-1")


SPOILING: dict[str, Callable[[Path], object]] = {
    "unreadable": lambda path: path.write_bytes(b"\xff"),
    "open to others": lambda path: path.chmod(0o644),
    "removed": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-1]),
}


@pytest.mark.parametrize(("spoiling", "clock"), product([*SPOILING], [time.time_ns, an_hour_later]))
def test_no_key_is_accepted_for_exactly_as_long_as_the_file_is_bad(
    path: Path, caplog: pytest.LogCaptureFixture, spoiling: str, clock: Callable[[], int]
) -> None:
    key = add_key(path, "till-1").encode()
    keys = KeyFile(path, clock)
    assert name_of(keys, key)
    good = path.with_name("good")
    for _ in range(2):
        shutil.copy2(path, good)
        SPOILING[spoiling](path)
        assert [name_of(keys, key) for _ in range(3)] == [None] * 3
        good.replace(path)
        assert [bool(name_of(keys, key)) for _ in range(3)] == [True] * 3
    assert len(caplog.records) == 2, "once each time"
    assert all(record.exc_info is None for record in caplog.records)


@contextmanager
def limited(what: int, most: int) -> Iterator[None]:
    usual = resource.getrlimit(what)
    resource.setrlimit(what, (most, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(what, usual)


def test_a_file_is_read_again_when_it_has_changed_and_no_sooner(path: Path) -> None:
    first = add_key(path, "till-1").encode()
    keys = KeyFile(path, an_hour_later)
    with limited(resource.RLIMIT_NOFILE, 0):  # so that opening it fails
        assert name_of(keys, first)
    second = add_key(path, "till-2").encode()
    with limited(resource.RLIMIT_NOFILE, 0):
        assert name_of(keys, first) is None, "it may not contain it any more"
    assert name_of(keys, first)
    assert name_of(keys, second)


def test_a_key_is_refused_from_the_day_on_which_it_expires(path: Path) -> None:
    key = add_key(path, "till-1", expires=date(2030, 5, 1)).encode()
    now = datetime(2030, 4, 30, 23, 59, 59, tzinfo=UTC)
    keys = KeyFile(path, lambda: int(now.timestamp() * 1e9))
    assert name_of(keys, key) == "till-1"
    now += timedelta(seconds=1)
    assert name_of(keys, key) is None


def test_the_last_use_of_each_key_that_is_left_is_saved_for_its_owner_alone(path: Path) -> None:
    for name in ("till-1", "till-2", "gone"):
        add_key(path, name)
    keys = KeyFile(path)
    for name in ("till-1", "gone"):
        keys.uses.record(name)
    remove_key(path, "gone")
    keys.uses.save()
    assert [*read_uses(path)] == ["till-1"]
    assert stat.S_IMODE(path.with_name("keys.used").stat().st_mode) == 0o600
    other = KeyFile(path)  # of another service with the same keys
    other.uses.record("till-2")
    other.uses.save()
    assert {*read_uses(path)} == {"till-1", "till-2"}


def test_uses_that_cannot_be_saved_harm_nobody_and_are_saved_later(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    key = add_key(path, "till-1").encode()
    keys = KeyFile(path)
    path.with_name("keys.used").mkdir()
    keys.uses.record("till-1")
    for _ in range(2):
        keys.uses.save()
    [message] = caplog.messages
    assert message.startswith("the last uses of keys can't be saved")
    assert name_of(keys, key) == "till-1"
    path.with_name("keys.used").rmdir()
    keys.uses.save()
    assert [*read_uses(path)] == ["till-1"]


@pytest.mark.parametrize("text", ["", "[]", '{"till-1": "now"}', "[" * 100_000])
def test_a_damaged_file_of_uses_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "keys.used").write_text(text)
    assert read_uses(tmp_path / "keys") == {}


async def test_a_bug_while_uses_are_saved_is_logged_and_they_are_saved_the_next_time(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    saved, loop = asyncio.Event(), asyncio.get_running_loop()
    bugs = [RuntimeError("a bug")]

    def save() -> None:
        if bugs:
            raise bugs.pop()
        loop.call_soon_threadsafe(saved.set)

    monkeypatch.setattr(server, "USES_SECONDS", 0)
    saving = asyncio.create_task(server.tend_keys(Mock(uses=Mock(save=save))))
    async with asyncio.timeout(60):
        await saved.wait()
    saving.cancel()
    assert "a bug" in caplog.text


ADD = {"name": "Rex", "categoryId": 3}


def test_while_the_key_file_cannot_be_used_nobody_is_told_that_their_key_is_wrong(
    path: Path, tmp_path: Path
) -> None:
    key = add_key(path, "till-1")
    with (
        running_service(tmp_path, key_file=str(path)) as service,
        service.client(key) as client,
    ):
        path.chmod(0o644)
        refused, not_added = client.get("/pets"), client.post("/pets", json=ADD)
        without = client.get("/pets", headers={"Authorization": ""})
        path.chmod(0o600)
        assert client.get("/pets").json() == []
        assert [refused.status_code, not_added.status_code] == [503, 503]
        assert [refused.json()["code"], not_added.json()["code"]] == ["unavailable", "not_stored"]
        assert refused.headers["retry-after"] == not_added.headers["retry-after"] == "1"
        assert without.status_code == 401
        assert "can be read by others" in service.event()["reason"]
        service.check_quiet_end()


def test_comments_and_a_byte_order_mark_are_fine_and_comments_stay(path: Path) -> None:
    first = add_key(path, "till-1").encode()
    path.write_text("# the counter\n\n" + path.read_text(), "utf-8-sig")
    second = add_key(path, "till-2").encode()
    keys = KeyFile(path)
    assert (name_of(keys, first), name_of(keys, second)) == ("till-1", "till-2")
    remove_key(path, "till-1")
    comment, blank, _ = path.read_text().splitlines()
    assert (comment, blank) == ("# the counter", "")


def test_a_replaced_key_keeps_its_name_and_place_and_is_refused_at_once(path: Path) -> None:
    former = add_key(path, "audit", is_read_only=True)
    add_key(path, "till-1")
    keys = KeyFile(path)
    for name in ("audit", "till-1"):
        keys.uses.record(name)
    keys.uses.save()
    key = replace_key(path, "audit", expires=date(2999, 1, 31))
    assert [*read_uses(path)] == ["till-1", "audit.former"], "the new one was never used"
    assert name_of(keys, former.encode()) is None
    assert keys.find(former.encode()) == KnownKey("audit.former", may_add=False, has_expired=True)
    assert name_of(keys, key.encode()) == "audit"
    audit, *_ = list_keys(path)
    assert (audit.name, audit.is_read_only, audit.expires) == ("audit", True, date(2999, 1, 31))


def test_a_key_that_is_replaced_with_an_overlap_is_accepted_until_that_is_over(path: Path) -> None:
    now = time.time_ns()
    former = add_key(path, "ssh", is_read_only=True).encode()
    keys = KeyFile(path, lambda: now)
    key = replace_key(path, "ssh", overlap=timedelta(hours=1)).encode()
    for minutes, former_name in ((0, "ssh.former"), (59, "ssh.former"), (2, None)):
        now += minutes * 60 * 10**9
        assert (name_of(keys, key), name_of(keys, former)) == ("ssh", former_name)
    assert keys.find(former) == KnownKey("ssh.former", may_add=False, has_expired=True)
    new, old = list_keys(path)
    assert (new.expires, new.until, old.is_read_only) == (None, None, True)
    assert new.warning(datetime.now(UTC)) == old.warning(datetime.now(UTC)) == ""


def test_a_second_overlap_ends_no_key_before_its_time_and_a_replacement_without_one_ends_all(
    path: Path,
) -> None:
    keys = KeyFile(path)
    first = add_key(path, "ssh").encode()
    second = replace_key(path, "ssh", overlap=timedelta(hours=1)).encode()
    before = path.read_text()
    with pytest.raises(KeyFileError, match=r"ssh\.former is accepted until .*Z; wait, or end it"):
        replace_key(path, "ssh", overlap=timedelta(hours=1))
    assert path.read_text() == before
    replaced = replace_key(path, "ssh")
    found = [name_of(keys, key) for key in (first, second, replaced.encode())]
    assert found == [None, None, "ssh"]


def test_a_key_that_is_removed_takes_its_former_one_with_it(path: Path) -> None:
    former = add_key(path, "ssh").encode()
    keys = KeyFile(path)
    add_key(path, "audit")
    for removed, left in (("ssh.former", ["ssh", "audit"]), ("ssh", ["audit"])):
        key = replace_key(path, "ssh", overlap=timedelta(hours=1)).encode()
        assert (name_of(keys, key), name_of(keys, former)) == ("ssh", "ssh.former")
        remove_key(path, removed)
        assert name_of(keys, former) is None
        assert [entry.name for entry in list_keys(path)] == left
        former = key
    add_key(path, "till")
    add_key(path, "till.former")
    remove_key(path, "till")
    assert [entry.name for entry in list_keys(path)] == ["audit", "till.former"]


def test_a_request_with_an_expired_key_is_401_and_the_log_names_the_key(
    path: Path, tmp_path: Path
) -> None:
    key = add_key(path, "till-1", expires=date(2020, 1, 31))
    with (
        running_service(tmp_path, key_file=str(path)) as service,
        service.client(key) as client,
    ):
        assert service.event()["reason"] == (
            "key till-1 expired on 2020-01-31; requests with it are refused"
        )
        expired = client.get("/pets")
        unknown = client.get("/pets", headers={"Authorization": "Bearer unknown"})
        assert expired.status_code == unknown.status_code == 401
        assert expired.text == unknown.text
        service.check_quiet_end()
    assert [(line["key"], line.get("reason")) for line in service.lines()] == [
        ("till-1", "expired"), (None, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("days", "warning"),
    [
        (0, "key till-1 expired on 2030-05-01"),
        (14, "key till-1 expires on 2030-05-01; pettui key add till-1 --replace --expires DATE"),
        (15, None),
    ],
)
def test_of_a_key_that_expires_soon_it_is_warned_once_a_day(
    path: Path, caplog: pytest.LogCaptureFixture, days: int, warning: str | None
) -> None:
    add_key(path, "till-1", expires=date(2030, 5, 1))
    add_key(path, "till-2")
    now = datetime(2030, 5, 1, 12, tzinfo=UTC) - timedelta(days=days)
    keys = KeyFile(path, lambda: int(now.timestamp() * 1e9))
    for _ in range(2):
        keys.warn_daily()
    assert [message[: len(warning or "")] for message in caplog.messages] == (
        [] if warning is None else [warning]
    )
    now += timedelta(days=1)
    keys.warn_daily()
    assert len(caplog.messages) == (1 if warning is None else 2)
