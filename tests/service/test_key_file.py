"""Keys that last: the file, who may read it, and that a running service follows it."""

import stat
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from pettui.service.key_file import KeyFile, KeyFileError, add_key, list_keys, remove_key
from tests.service.running_service import running_service


@pytest.fixture
def path(tmp_path):
    return tmp_path / "made" / "keys"


def test_a_new_key_is_known_and_stands_nowhere(path):
    key = add_key(path, "till-1")
    assert key.startswith("pettui_")
    assert len(key) > 40
    assert key not in path.read_text()
    assert key.removeprefix("pettui_") not in path.read_text()
    assert KeyFile(path).hash_name(key.encode()) == list_keys(path)[0].digest.hex()[:8]


def test_the_file_is_the_owners_alone(path):
    add_key(path, "till-1")
    add_key(path, "till-2")
    remove_key(path, "till-1")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [entry.name for entry in path.parent.iterdir()] == ["keys"]


def test_keys_are_listed_by_name_in_their_order(path):
    assert list_keys(path) == []
    for name in ("till-1", "back.office", "A_3"):
        add_key(path, name)
    assert [entry.name for entry in list_keys(path)] == ["till-1", "back.office", "A_3"]


def test_a_name_that_is_taken_is_refused(path):
    add_key(path, "till-1")
    with pytest.raises(KeyFileError, match="till-1 exists"):
        add_key(path, "till-1")
    assert len(list_keys(path)) == 1


@pytest.mark.parametrize("name", ["", "a b", "-x", "x\n", "é", "a" * 65, "../x"])
def test_a_malformed_name_is_refused(path, name):
    with pytest.raises(KeyFileError, match="must be of letters"):
        add_key(path, name)
    assert not path.exists()


def test_a_key_that_is_not_there_cannot_be_removed(path):
    with pytest.raises(KeyFileError, match="'till-1' is not in"):
        remove_key(path, "till-1")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_a_file_that_others_can_read_is_refused(path, mode):
    add_key(path, "till-1")
    path.chmod(mode)
    for use in (list_keys, KeyFile, lambda path: add_key(path, "till-2")):
        with pytest.raises(KeyFileError, match="chmod 600"):
            use(path)


@pytest.mark.parametrize("line", ["a-secret-key", "till-1 sha256:00 2026-01-01", "\x00"])
def test_a_line_that_is_none_of_ours_is_refused_and_not_shown(path, line):
    add_key(path, "till-1")
    with path.open("a") as file:
        file.write(f"\n{line}\n")
    with pytest.raises(KeyFileError, match=r"line 3, is none that") as refusal:
        list_keys(path)
    assert line not in str(refusal.value)


def test_keys_that_are_added_at_once_are_all_kept(path):
    names = [f"till-{number}" for number in range(20)]
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda name: add_key(path, name), names))
    assert len(set(keys)) == 20
    assert {entry.name for entry in list_keys(path)} == set(names)


def test_a_file_that_is_broken_later_lets_nobody_in_and_the_log_says_so(path, caplog):
    key = add_key(path, "till-1").encode()
    keys = KeyFile(path)
    assert keys.hash_name(key)
    path.write_text("rubbish")
    assert keys.hash_name(key) is None
    assert keys.hash_name(key) is None
    assert [record.message for record in caplog.records] == [
        f"key file {path}, line 1, is none that pettui key add wrote; no key of it is let in"
    ]
    path.unlink()
    again = add_key(path, "till-1").encode()
    assert keys.hash_name(key) is None
    assert keys.hash_name(again)


def test_a_running_service_follows_the_file(tmp_path, path):
    first = add_key(path, "till-1")
    with running_service(tmp_path, key_file=str(path)) as service:

        def status(key):
            headers = {"Authorization": f"Bearer {key}"}
            return httpx.get(f"{service.base_url}/pets", headers=headers).status_code

        assert status(first) == 200
        second = add_key(path, "till-2")
        assert status(second) == 200
        remove_key(path, "till-1")
        assert (status(first), status(second)) == (401, 200)
