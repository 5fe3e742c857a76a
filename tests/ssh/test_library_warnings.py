"""Warnings of loggers, as lines of JSON in the log of the server."""

from __future__ import annotations

import io
import json
import logging
from typing import TYPE_CHECKING, Any

from pettui.ssh.event_log import LINES, EventLog
from pettui.ssh.library_warnings import logged_warnings

if TYPE_CHECKING:
    import pytest


def lines_of(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_a_warning_is_a_line_of_json() -> None:
    log = io.StringIO()
    with logged_warnings(EventLog(log)):
        logging.getLogger("a.library").warning("%s\nsaid twice: %d", "a\x1b[2Jb", 2)
    [line] = lines_of(log)
    assert line["event"] == "warning"
    assert line["logger"] == "a.library"
    assert line["level"] == "warning"
    assert line["reason"] == "a\x1b[2Jb\nsaid twice: 2"


def test_a_flood_of_warnings_is_a_few_lines() -> None:
    log = io.StringIO()
    event_log = EventLog(log)
    with logged_warnings(event_log):
        for _ in range(5000):
            logging.getLogger("asyncio").warning("socket.send() raised exception.")
    assert len(lines_of(log)) == LINES
    event_log.close()
    assert lines_of(log)[-1]["more"] == 5000 - LINES


def test_warnings_after_the_block_are_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = io.StringIO()
    with logged_warnings(EventLog(log)):
        pass
    logging.getLogger("asyncio").warning("later")
    assert caplog.messages == ["later"]
    assert not log.getvalue()
