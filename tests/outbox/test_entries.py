"""Entries: their names in messages, their ids, and when they are due."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.client import PetClient
from pettui.outbox.entries import UNKNOWN_KEY, EntryState, next_entry_id, own_key_of
from pettui.outbox.stores.contents import entry_text, parsed_draft, parsed_entry
from pettui.outbox.stores.directory import OWN_KEY, DirectoryEntryStore
from pettui.outbox.stores.directory_owners import DirectoryOwner
from pettui.outbox.stores.memory import MemoryEntryStore
from pettui.settings.settings import ApiKey
from tests.outbox.scripted import (
    ENTRY_ID,
    GOOD,
    STORE,
    KeepingClient,
    add,
    an_entry,
    entry_id_of,
    left_behind,
    offline,
    refusal,
    states,
)
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pettui.outbox.outbox import Outbox
    from tests.outbox.conftest import MakeOutbox


def test_a_name_in_a_message_is_one_short_line_that_steers_no_terminal() -> None:
    assert an_entry("\x1b[2J\n" + "x" * 100_000).label.startswith("␛[2J␊xxx")
    assert len(an_entry("x" * 100_000).label) <= 41
    assert an_entry("").label == "the animal"


# ── ids ─────────────────────────────────────────────────────────────────────────────────

NEWEST_POSSIBLE = "10000000000000000000-ffffffff"


def ids(times: Sequence[float], newest: str = "") -> list[str]:
    """Return the ids of entries that were typed at these times, after an earlier one's."""
    return [newest := next_entry_id(time, newest) for time in times]


@given(times=st.lists(st.floats(-1e9, 9e9), min_size=2))
def test_ids_follow_the_typing_however_the_clock_jumps(times: list[float]) -> None:
    typed = ids(times)
    assert typed == sorted(set(typed))


@pytest.mark.parametrize("clock", [-1e12, 0.0, 1e12])
@pytest.mark.parametrize("after", ["", NEWEST_POSSIBLE])
def test_whatever_the_clock_says_the_file_of_an_entry_is_found_again(
    store: DirectoryEntryStore, clock: float, after: str
) -> None:
    [entry_id] = ids([clock], after)
    store.add(an_entry(entry_id=entry_id))
    assert [entry.entry_id for entry in store.load().entries] == [entry_id]


def test_two_instances_never_give_the_same_id() -> None:
    assert len({entry_id for _ in range(100) for entry_id in ids([1.0])}) == 100


async def test_an_entry_is_due_when_it_can_be_taken_back_no_more(make_outbox: MakeOutbox) -> None:
    assert (await add(make_outbox(delay=3.0, clock=lambda: 100.0), "Rex")).due == 103.0


PROFILES = ApiKey("key-of-the-profile")
OWN = ApiKey("key-of-the-users-own")
OTHER = ApiKey("another-of-the-users")


class KeyedClient(KeepingClient):
    """One that notes with which API key each animal was added."""

    def __init__(self) -> None:
        super().__init__()
        self.senders: list[str] = []
        self.when_sent = lambda _: self.senders.append(self.api_key.reveal())

    def with_key(self, api_key: ApiKey) -> KeyedClient:
        """Return one of the same service, with another key."""
        other = KeyedClient()
        other.__dict__ |= {**self.__dict__, "api_key": api_key}
        other.when_sent = lambda _: other.senders.append(other.api_key.reveal())
        return other


@pytest.fixture
def client() -> KeyedClient:
    return KeyedClient()


async def leave_for_own_key(make_outbox: MakeOutbox, client: KeyedClient, directory: Path) -> None:
    """Leave Rex behind, typed with a key of the user's own."""
    outbox = make_outbox(DirectoryEntryStore(directory), asks=True, delay=60.0)
    outbox.use_own_key(client.with_key(OWN))
    await add(outbox, "Rex")
    await outbox.close()


async def waiting_for_own_key(
    make_outbox: MakeOutbox, client: KeyedClient, directory: Path
) -> Outbox:
    """Leave Rex behind; return the next outbox."""
    await leave_for_own_key(make_outbox, client, directory)
    outbox = make_outbox(DirectoryEntryStore(directory), asks=True)
    await until(lambda: outbox.waits_for_own_key(outbox.entries[0]))
    return outbox


# ── the digest ───────────────────────────────────────────────────────────────────────────────────


async def test_a_digest_stands_in_no_repr(make_outbox: MakeOutbox, directory: Path) -> None:
    client = KeyedClient()
    outbox = make_outbox(DirectoryEntryStore(directory), asks=True, delay=60.0)
    outbox.use_own_key(client.with_key(OWN))
    entry = await add(outbox, "Rex")
    assert entry.own_key is not None
    assert entry.own_key not in repr(entry)


# ── who sends it ─────────────────────────────────────────────────────────────────────────────────


async def test_the_next_start_does_not_send_it_with_the_profiles_key(
    make_outbox: MakeOutbox, client: KeyedClient, directory: Path
) -> None:
    outbox = await waiting_for_own_key(make_outbox, client, directory)
    await add(outbox, "Mimi")
    await until(lambda: states(outbox) == ["Rex waiting", "Mimi added"])
    outbox.use_own_key(client.with_key(OTHER))
    await add(outbox, "Tiny")
    await until(lambda: states(outbox) == ["Rex waiting", "Mimi added", "Tiny added"])
    outbox.use_own_key(client.with_key(OWN))
    await until(lambda: states(outbox)[0] == "Rex added")
    assert client.senders == [each.reveal() for each in (PROFILES, OTHER, OWN)]


async def test_a_profile_whose_key_it_is_sends_it(
    make_outbox: MakeOutbox, client: KeyedClient, directory: Path
) -> None:
    await leave_for_own_key(make_outbox, client, directory)
    client.api_key = OWN
    outbox = make_outbox(DirectoryEntryStore(directory), asks=True)
    await until(lambda: states(outbox) == ["Rex added"])


async def test_somebody_who_decides_so_sends_it_with_the_profiles_key(
    make_outbox: MakeOutbox, client: KeyedClient, directory: Path
) -> None:
    outbox = await waiting_for_own_key(make_outbox, client, directory)
    await outbox.close()
    outbox = make_outbox(DirectoryEntryStore(directory), asks=True, with_profile_key=True)
    await until(lambda: states(outbox) == ["Rex added"])
    assert client.senders == [PROFILES.reveal()]


async def test_what_was_typed_with_a_key_that_was_refused_goes_with_the_next_one(
    make_outbox: MakeOutbox, client: KeyedClient, directory: Path
) -> None:
    outbox = make_outbox(DirectoryEntryStore(directory), asks=True)
    outbox.use_own_key(client.with_key(OTHER))
    client.adds += [refusal(401)]
    await add(outbox, "Rex")
    await until(lambda: outbox.sending.api_key_error and states(outbox) == ["Rex waiting"])
    outbox.use_own_key(client.with_key(OWN))
    await until(lambda: states(outbox) == ["Rex added"])
    assert client.senders == [OTHER.reveal(), OWN.reveal()]


async def test_after_a_key_that_was_refused_the_next_start_takes_any_of_the_users_own(
    make_outbox: MakeOutbox, client: KeyedClient, directory: Path
) -> None:
    """It may have been mistyped, and then nobody could type it again."""
    outbox = make_outbox(DirectoryEntryStore(directory), asks=True)
    outbox.use_own_key(client.with_key(OTHER))
    client.adds += [refusal(401)]
    await add(outbox, "Rex", "Max")
    await until(lambda: [entry.own_key for entry in outbox.entries] == [UNKNOWN_KEY] * 2)
    await add(outbox, "Leo")
    await until(lambda: outbox.entries[2].own_key == UNKNOWN_KEY)
    await outbox.close()
    outbox = make_outbox(DirectoryEntryStore(directory), asks=True)  # with the profile's key
    await until(lambda: all(map(outbox.waits_for_own_key, outbox.entries)))
    outbox.use_own_key(client.with_key(OWN))
    await until(lambda: states(outbox) == ["Rex added", "Max added", "Leo added"])
    assert client.senders == [OTHER.reveal(), *[OWN.reveal()] * 3]


async def test_a_key_that_was_refused_by_chance_goes_on(
    make_outbox: MakeOutbox, client: KeyedClient, directory: Path
) -> None:
    outbox = make_outbox(DirectoryEntryStore(directory), asks=True)
    outbox.use_own_key(client.with_key(OWN))
    client.adds += [refusal(401)]
    await add(outbox, "Rex")
    await until(lambda: outbox.entries[0].own_key == UNKNOWN_KEY)
    outbox.sending.service_responded()
    await until(lambda: states(outbox) == ["Rex added"])


async def test_what_was_typed_with_the_profiles_key_goes_with_any(
    make_outbox: MakeOutbox, client: KeyedClient, directory: Path
) -> None:
    client.adds = [offline()]
    outbox = make_outbox(DirectoryEntryStore(directory), asks=True, delay=60.0)
    await add(outbox, "Rex")
    outbox.use_own_key(client.with_key(OWN))
    outbox.hurry()
    await until(lambda: states(outbox) == ["Rex added"])


async def test_a_demo_keeps_no_digest(client: KeyedClient, make_outbox: MakeOutbox) -> None:
    outbox = make_outbox(MemoryEntryStore(), asks=True, delay=60.0)
    outbox.use_own_key(client.with_key(OWN))
    assert (await add(outbox, "Rex")).own_key is None


async def test_what_was_out_is_sent_again_with_its_own_key_alone(
    make_outbox: MakeOutbox, client: KeyedClient, directory: Path
) -> None:
    entry = an_entry(state=EntryState.SENDING, store_id=STORE, own_key=own_key_of(OWN, ENTRY_ID))
    path = left_behind(directory, None, state="sending.own-key")
    path.write_bytes(entry_text(entry))
    outbox = make_outbox(DirectoryEntryStore(directory), asks=True)
    await add(outbox, "Mimi")
    await until(lambda: states(outbox) == ["Rex sending", "Mimi added"])
    outbox.use_own_key(client.with_key(OWN))
    await until(lambda: states(outbox)[0] == "Rex added")
    assert client.senders == [PROFILES.reveal(), OWN.reveal()]


async def test_what_is_sent_again_by_hand_is_for_the_key_of_that_day(
    make_outbox: MakeOutbox, client: KeyedClient, directory: Path
) -> None:
    entry = an_entry(state=EntryState.UNKNOWN, own_key=own_key_of(OTHER, ENTRY_ID))
    left_behind(directory, None, state="unknown.own-key").write_bytes(entry_text(entry))
    outbox = make_outbox(DirectoryEntryStore(directory), asks=True)
    await outbox.send_again(ENTRY_ID)
    await until(lambda: states(outbox) == ["Rex added"])
    assert client.senders == [PROFILES.reveal()]


# ── on the disk ──────────────────────────────────────────────────────────────────────────────────


async def test_only_its_user_can_send_it_and_its_content_comes_back_whole(
    make_outbox: MakeOutbox, client: KeyedClient, directory: Path
) -> None:
    outbox = await waiting_for_own_key(make_outbox, client, directory)
    await outbox.close()
    owner = DirectoryOwner(directory)
    assert (owner.summary().has_own_key, owner.has_on_the_way()) == (True, False)
    entry = an_entry("Rex \udcff", own_key="salt:digest", store_id=STORE)
    assert parsed_entry(entry_text(entry), ENTRY_ID) == entry
    assert parsed_draft(entry_text(entry), 1.0).name == entry.name


async def test_what_an_earlier_version_marked_waits_for_a_key_of_the_users_own(
    make_outbox: MakeOutbox, client: KeyedClient, directory: Path
) -> None:
    left_behind(directory)
    left_behind(directory, GOOD.replace("Rex", "Tiny"), entry_id=entry_id_of(2), state="refused")
    (directory / OWN_KEY).touch()
    assert DirectoryOwner(directory).summary().has_own_key
    outbox = make_outbox(DirectoryEntryStore(directory), asks=True)
    await add(outbox, "Mimi")
    await until(lambda: states(outbox) == ["Rex waiting", "Tiny refused", "Mimi added"])
    assert [entry.own_key for entry in outbox.entries] == ["", None, None]
    assert not (directory / OWN_KEY).exists()
    await outbox.close()
    assert not DirectoryOwner(directory).has_on_the_way()
    outbox = make_outbox(DirectoryEntryStore(directory), asks=True)
    outbox.use_own_key(client.with_key(OTHER))
    await until(lambda: states(outbox)[0] == "Rex added")
    assert client.senders == [PROFILES.reveal(), OTHER.reveal()]


def test_a_client_has_what_an_outbox_asks_of_its_key() -> None:
    client = PetClient("http://127.0.0.1:9/v1", OWN)
    assert (client.has_key, client.api_key) == (True, OWN)
