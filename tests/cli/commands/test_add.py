"""``pettui add``: what it prints; run again with the same key it adds once."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest

from pettui.outbox.receipts import FileReceipts, today
from tests.cli.commands.conftest import Asked, json_lines
from tests.cli.commands.shop_service import REFUSE, Shop, animal
from tests.cli.conftest import Refused, Run, interruptible
from tests.client.hostile.server import Step, drop, http

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


STORE = "0123456789abcdef" * 2
ADD = ("add", "Rex", "3", "--idempotency-key", "order 7")
AGAIN = "run the same command again, with the same key: it is added once"
OTHER_STORE = '{"code": "other_store", "message": "This is another one.", "status": 412}'


CATEGORIES = """
[profiles.shop]
base_url = "{base_url}"
api_key_env = "PETTUI_API_KEY"
[profiles.shop.categories]
3 = "Grey Cats"
4 = "Fish"
5 = "fish"
"""


@pytest.mark.parametrize(
    ("words", "sent"),
    [
        (["--status=pending", "--", "-x", "-9223372036854775808"], ("-x", -(2**63), "pending")),
        (["Ægir\n🐹", "003"], ("Ægir\n🐹", 3, None)),
        ([" Mitzi \u00a0", "3"], ("Mitzi", 3, None)),
    ],
)
def test_an_added_animal_is_printed_as_it_was_stored(
    run_here: Run, words: list[str], sent: tuple[str, int, str | None]
) -> None:
    run_here("list")  # makes the store, and says so
    finished = run_here("add", "--json", *words)
    (pet,) = json_lines(finished.stdout)
    assert (pet["name"], pet["categoryId"], pet.get("status")) == sent
    assert (finished.returncode, finished.stderr) == (0, "")
    (kept,) = json_lines(run_here("get", str(pet["id"]), "--json").stdout)
    assert kept == pet


def test_a_category_can_be_given_by_name(
    call: Run, shop: Shop, configure: Callable[[str], Path]
) -> None:
    config = configure(CATEGORIES.format(base_url=shop.base_url))
    words = ("--config", str(config), "--profile", "shop")
    added = call("add", "Tom", "grey  cats", *words, PETTUI_BASE_URL="")
    assert added.stdout.splitlines()[1].split("\t")[1:] == ["Tom", "3", ""]
    unclear = call("add", "Tom", "fish", *words, PETTUI_BASE_URL="")
    said = 'pettui: CATEGORY: "fish" is the name of 4 and of 5; use the number\n'
    assert (unclear.returncode, unclear.stderr) == (2, said)


def test_a_difference_to_what_was_stored_is_a_warning(asked: Asked) -> None:
    finished = asked(http(201, json.dumps(animal(1, "TOM"))))("add", "Tom", "3", "--quiet")
    assert finished.stderr == "warning: the service stored another name than was sent\n"
    assert finished.returncode == 0


FAILED = '{"code": "internal_error", "message": "Oh no.", "status": 500}'
UNKNOWN = "; the animal may have been added\n"


@pytest.mark.parametrize(
    ("step", "code", "end"),
    [
        (drop(), 3, UNKNOWN),
        (http(500, FAILED), 3, f"error: 500 internal_error: Oh no.{UNKNOWN}"),
        (REFUSE, 1, "error: 400 invalid_value: No such category.\n"),
    ],
)
def test_without_a_key_it_is_sent_once_and_says_what_became_of_it(
    call: Run, shop: Shop, step: Step, code: int, end: str
) -> None:
    shop.store_id = STORE
    shop.instead["Rex"] = step
    failed = call("add", "Rex", "3")
    assert (failed.returncode, failed.stdout) == (code, "")
    assert failed.stderr.endswith(end)
    assert [request.method for request in shop.server.seen] == ["POST"]
    assert shop.server.seen[0].header("idempotency-key") == []


# With a key


@pytest.fixture
def promising(shop: Shop) -> Shop:
    """The shop, which adds once what comes with a key."""
    shop.store_id = STORE
    return shop


def test_the_store_adds_it_once_however_often_it_is_run(run_here: Run) -> None:
    """With the real service, of the store on this machine."""
    first, second = (run_here(*ADD, "--json") for _ in range(2))
    assert (first.returncode, second.returncode) == (0, 0)
    assert json_lines(first.stdout) == json_lines(second.stdout)
    assert second.stderr == "notice: an earlier run with this key added it\n"
    assert json_lines(run_here("add", "Rex", "3", "--json").stdout) != json_lines(first.stdout)
    other = run_here("add", "Rex", "4", "--idempotency-key", "order 7")
    assert (other.returncode, other.stdout) == (1, "")
    assert other.stderr.startswith("error: 409 key_reused: Another animal was added")


def test_where_nobody_promises_that_nothing_is_sent(call: Run, shop: Shop) -> None:
    ended = call(*ADD)
    assert (ended.returncode, ended.stdout, shop.server.adds) == (2, "", 0)
    assert ended.stderr == (
        "pettui: --idempotency-key: the service does not promise to add once what comes with a "
        "key; nothing was sent\n"
    )


@pytest.mark.parametrize("key", ["", "n\u00f6", "a\nb", "x" * 256])
def test_a_key_that_no_header_can_have_is_refused(refused: Refused, key: str) -> None:
    said = refused("add", "Rex", "3", "--demo", "--idempotency-key", key)
    assert said.startswith("--idempotency-key: an idempotency key is 1 to 255 printable")


def test_after_a_lost_response_the_same_command_is_run_again(call: Run, promising: Shop) -> None:
    promising.lost["Rex"] = 1
    failed = call(*ADD)
    assert (failed.returncode, failed.stdout, promising.server.adds) == (3, "", 1)
    assert failed.stderr.endswith(f"; the animal may have been added; {AGAIN}\n")
    again = call(*ADD)
    assert again.returncode == 0
    assert promising.names == ["Rex"]
    assert again.stderr == "notice: an earlier run with this key added it\n"


ECHO = [("Idempotency-Key", '"order 7"'), ("Pettui-Store", STORE)]
MAYBE = f"; the animal may have been added; {AGAIN}"


@pytest.mark.parametrize(
    ("status", "headers", "code", "said"),
    [
        (403, (), 3, MAYBE),  # a proxy's, perhaps
        (502, (), 3, MAYBE),
        (429, [("Retry-After", "0")], 3, MAYBE),  # it goes again by itself before
        (400, ECHO, 1, ""),  # of the store: it is final
    ],
)
def test_only_a_refusal_of_the_store_is_final(
    call: Run,
    promising: Shop,
    status: int,
    headers: list[tuple[str, str]],
    *,
    code: int,
    said: str,
) -> None:
    body = f'{{"code": "no", "message": "No.", "status": {status}}}'
    promising.instead["Rex"] = http(status, body, headers)
    failed = call(*ADD)
    assert failed.returncode == code
    assert failed.stderr.endswith(f"error: {status} no: No.{said}\n")
    assert ("; attempt 2 of 4 in 0.0 s" in failed.stderr) == (status == 429)


def test_another_store_adds_nothing(call: Run, promising: Shop) -> None:
    promising.instead["Rex"] = http(412, OTHER_STORE)
    failed = call(*ADD)
    assert failed.returncode == 1
    assert failed.stderr == f"error: 412 other_store: This is another one.; {AGAIN}\n"


def test_an_answer_that_does_not_confirm_the_key_is_a_warning(call: Run, promising: Shop) -> None:
    promising.instead["Rex"] = http(201, '{"id": 9, "name": "Rex", "categoryId": 3}')
    ended = call(*ADD)
    assert ended.returncode == 0
    assert "warning: the service did not confirm the key" in ended.stderr


def test_an_interrupted_one_is_run_again(in_shop: dict[str, str], promising: Shop) -> None:
    wait_until_asked = promising.stall("Rex")
    with interruptible(in_shop, *ADD) as process:
        wait_until_asked()
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors == f"error: interrupted; the animal may have been added; {AGAIN}\n"


def test_what_commands_add_is_in_the_receipt_of_the_day_once(
    run_here: Run, home: Path, tmp_path: Path
) -> None:
    for _ in range(2):
        assert run_here(*ADD).returncode == 0
    (tmp_path / "pets.csv").write_text("name,category\nTom,3\n")
    assert run_here("import", str(tmp_path / "pets.csv")).returncode == 0
    (path,) = home.rglob("receipts")
    added = FileReceipts(path).of(today()).added
    assert [(each.pet.name, each.source) for each in added] == [
        ("Rex", "command"),
        ("Tom", "import"),
    ]
