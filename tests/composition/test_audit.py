"""The audit's lines: whoever typed what, one is whole, and says no more than it should."""

from __future__ import annotations

import io
import json
from typing import Any

from pettui.composition.audit import audit_log, author_of
from pettui.outbox.entries import Author
from pettui.outbox.receipts import Certain, Source
from pettui.ssh.apps.app_factory import User
from pettui.system.logs import LINES, WHOLE, EventLog

ENTRY = "01764892800123456789-0badcafe"
CERTAIN = Certain(ENTRY, 1764892800.123, None, Source.SERVER)


def lines(*told: Certain) -> list[dict[str, Any]]:
    log = io.StringIO()
    write = audit_log(EventLog(log), "shop")
    for each in told:
        write(each)
    assert all(len(line) < WHOLE for line in log.getvalue().splitlines())
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_an_added_animal_has_who_typed_it_and_where_and_when() -> None:
    user = User("anna", "192.0.2.7", "SHA256:x", "anna@till")
    author = author_of({**user.fields, "session": 12})
    [line] = lines(CERTAIN._replace(author=author, source=Source.FORM, pet_id=1567))
    del line["time"]
    assert line == {
        "event": "animal added", "user": "anna", "key": "anna@till", "fingerprint": "SHA256:x",
        "address": "192.0.2.7", "session": 12, "profile": "shop", "entry": ENTRY, "source": "form",
        "typed": "2025-12-05T00:00:00.123+00:00", "id": 1567,
    }  # fmt: skip


def test_who_has_an_account_is_said_by_it_too() -> None:
    [line] = lines(CERTAIN._replace(author=author_of({"account": "anna", "more": 1})))
    assert (line["account"], line["user"]) == ("anna", None)


def test_a_refused_animal_has_status_and_code() -> None:
    [line] = lines(CERTAIN._replace(status=400, code="invalid_value"))
    assert (line["event"], line["status"], line["reason"]) == (
        "animal refused", 400, "invalid_value",
    )  # fmt: skip
    assert "id" not in line


def test_who_decided_is_said_by_the_session() -> None:
    [line] = lines(CERTAIN._replace(pet_id=7, decided_by=Author(session=31)))
    assert (line["session"], line["decided"]) == (None, 31)


def test_there_is_no_bound_on_the_lines() -> None:
    told = [CERTAIN._replace(pet_id=number) for number in range(20 * LINES)]
    assert [line["id"] for line in lines(*told)] == [*range(20 * LINES)]


def test_whatever_a_user_is_called_a_line_is_one_line() -> None:
    hostile = '","event":"animal added"}\n\x1b[2J\u202e\ud800' * 200
    author = Author(hostile, hostile, hostile, hostile, 1)
    [line] = lines(CERTAIN._replace(author=author, code=hostile))
    assert line["event"] == "animal refused"
    assert line["user"].startswith('","event":"animal added"}\n')
