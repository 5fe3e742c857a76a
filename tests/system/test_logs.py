"""Logs: the lines of events, and writing that never holds anybody up (real pipes and disks)."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import resource
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, redirect_stderr
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

import pytest

from pettui.system import logs
from pettui.system.logs import (
    LINES,
    PERIOD,
    TEXT_MAXIMUM,
    WHOLE,
    EventLog,
    EventStream,
    LogWriter,
    logged,
)
from tests.clock import Clock
from tests.conftest import unmeasured
from tests.peers.terminal import Terminal
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass
class Pipe:
    """A pipe that a writer of logs writes to."""

    reader: TextIO
    stream: TextIO

    def drained(self, writer: LogWriter) -> list[str]:
        """Read while a writer writes the rest and is closed; return the lines."""
        with ThreadPoolExecutor() as pool, self.stream:
            text = pool.submit(self.reader.read)
            assert writer.drain(PATIENCE)
            writer.close()
            self.stream.close()
            return text.result(PATIENCE).splitlines()


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    reading, writing = os.pipe()
    with os.fdopen(reading) as reader, os.fdopen(writing, "w") as stream:
        yield Pipe(reader, stream)


def test_a_pipe_that_nobody_reads_blocks_nobody_and_dropped_lines_are_counted(pipe: Pipe) -> None:
    writer = LogWriter(pipe.stream, capacity=100_000)
    written = 20_000
    for number in range(written):  # far more than pipe and queue take
        writer.write(f"line {number}\n")
    assert not writer.drain(0.01)
    number = dropped = 0
    for line in pipe.drained(writer):  # in order, and each gap is told where it is
        if line.startswith("{"):
            dropped += json.loads(line)["dropped"]
            number += json.loads(line)["dropped"]
        else:
            assert line == f"line {number}"
            number += 1
    assert number == written
    assert EventLog(writer).dropped == dropped


def test_a_drain_leaves_no_thread_so_that_a_process_may_fork_and_log_again(pipe: Pipe) -> None:
    writer = LogWriter(pipe.stream)
    before = threading.active_count()
    for text in ("one\n", "two\n"):
        writer.write(text)
        assert writer.drain(PATIENCE)
        assert threading.active_count() == before
    assert pipe.drained(writer) == ["one", "two"]


def test_a_reader_that_is_gone_raises_no_error_and_delays_no_end() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream:
        writer = LogWriter(stream)
        os.close(reading)
        writer.write("one\n")
        assert not writer.drain(PATIENCE)  # it gives up rather than wait for so long
        writer.close()
        writer.write("two\n")


def test_lines_are_written_whole_once_a_full_disk_has_room(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with (tmp_path / "log").open("w") as stream:
        writer = LogWriter(stream)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8, hard))
        try:
            for number in range(3):
                writer.write(f"line {number}\n")
            assert not writer.drain(PATIENCE)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert writer.drain(PATIENCE)
        writer.close()
    assert (tmp_path / "log").read_text() == "line 0\nline 1\nline 2\n"


def test_a_pipe_that_another_made_non_blocking_is_waited_for(pipe: Pipe) -> None:
    os.set_blocking(pipe.stream.fileno(), False)
    writer = LogWriter(pipe.stream)
    for number in range(20_000):
        writer.write(f"line {number}\n")
    assert len(pipe.drained(writer)) == 20_000


def refuse(_: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_if_no_thread_can_be_started_the_line_waits_for_one(
    monkeypatch: pytest.MonkeyPatch, pipe: Pipe
) -> None:
    writer = LogWriter(pipe.stream)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        writer.write("without a thread\n")
    writer.write("with one\n")
    assert pipe.drained(writer) == ["without a thread", "with one"]


COLLECTING = """
import gc, os, sys
from pettui.system.logs import LogWriter

log = LogWriter(sys.stdout, capacity=1 << 26)

def collected(phase, _information):
    if phase == "stop":
        log.write("collected\\n")

gc.callbacks.append(collected)
gc.set_threshold(1)
for _ in range(20_000):
    log.write("line\\n")
gc.callbacks.clear()
log.close(20)
"""


def test_logging_during_a_garbage_collection_within_the_log_does_not_deadlock() -> None:
    words = [sys.executable, "-c", COLLECTING]
    environment = unmeasured(os.environ)  # each line collects garbage, coverage's too
    done = subprocess.run(words, capture_output=True, timeout=60, check=True, env=environment)
    assert done.stderr == b""
    assert done.stdout.count(b"line\n") == 20_000
    assert done.stdout.count(b"collected\n") > 0


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def log() -> io.StringIO:
    return io.StringIO()


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_thousands_of_refusals_are_a_few_lines_and_a_count(log: io.StringIO, clock: Clock) -> None:
    event_log = EventLog(log, clock)
    for number in range(5000):
        event_log.write("dropped", address=f"192.0.2.{number % 256}", reason="too many logins")
    assert len(lines(log)) == LINES
    clock.now += PERIOD
    event_log.write("begin", name="ada")
    counted, begun = lines(log)[LINES:]
    assert (counted["event"], counted["reason"]) == ("dropped", "too many logins")
    assert counted["more"] == 5000 - LINES
    assert begun["event"] == "begin"


def test_a_line_is_whole_printable_ascii_whatever_is_in_it(log: io.StringIO) -> None:
    event_log = EventLog(log)
    hostile = '\x1b]0;x\x07\n\r\x7f\x9b\u202e\ud800\U0001f600"}{' * 1000
    event_log.write("refused", user=hostile, path=hostile, reason=hostile, traceback=hostile)
    event_log.write("refused", user="ada", reason="x" * 600)
    first, second = log.getvalue().splitlines()
    assert re.fullmatch(r"[ -~]+", first)
    assert len(first) < WHOLE
    assert json.loads(first)["user"].startswith("\x1b]0;x\x07\n\r\x7f\x9b\u202e")
    assert json.loads(second)["reason"] == "x" * TEXT_MAXIMUM + "…"


def test_refused_logins_of_one_address_hide_none_of_another_and_all_are_bounded(
    log: io.StringIO, clock: Clock
) -> None:
    event_log = EventLog(log, clock)
    for _ in range(5000):
        event_log.write("login refused", address="192.0.2.1", reason="unknown key")
    event_log.write("login refused", address="192.0.2.2", reason="unknown key")
    assert [line["address"] for line in lines(log)] == ["192.0.2.1"] * LINES + ["192.0.2.2"]
    for number in range(5000):
        event_log.write("login refused", address=f"2001:db8::{number:x}", reason="unknown key")
    written = len(lines(log))
    assert written == 10 * LINES
    event_log.close()
    counts = lines(log)[written:]
    assert (counts[0]["address"], counts[0]["more"]) == ("192.0.2.1", 4990)
    assert sum(line["more"] for line in counts) + written == 10_001


def test_a_record_may_name_its_event_and_fields_and_has_its_traceback(log: io.StringIO) -> None:
    with logged(EventLog(log)):
        try:
            {}["gone"]
        except KeyError:
            extra = {"event": "lost", "fields": {"host": "db"}}
            logging.getLogger("a").exception("failed", extra=extra)
        logging.getLogger("b").warning("%s twice: %d", "a\x1b[2Jb", 2)
    line, usual = lines(log)
    assert (usual["event"], usual["logger"], usual["reason"]) == (
        "warning", "b", "a\x1b[2Jb twice: 2",
    )  # fmt: skip
    assert (line["event"], line["level"], line["host"]) == ("lost", "error", "db")
    assert line["traceback"].endswith("KeyError: 'gone'")


def test_what_is_printed_on_standard_error_is_an_event_a_line(log: io.StringIO) -> None:
    with redirect_stderr(EventStream(EventLog(log))):
        print("one", 2, file=sys.stderr)
        sys.stderr.write("three\nfour\nno end")
    assert [line["message"] for line in lines(log)] == ["one 2", "three", "four"]


STARTED = "import sys; from pettui.system.logs import announce; announce(['serving \\x1b[2J here'], sys.stderr)"


def test_a_start_is_in_words_on_a_terminal() -> None:
    with closing(Terminal([sys.executable, "-c", STARTED], os.environ)) as terminal:
        assert terminal.wait_for_end() == 0
        assert terminal.written.decode() == "pettui: serving ␛[2J here\r\n"


def test_a_start_is_an_event_elsewhere() -> None:
    words = [sys.executable, "-c", STARTED]
    event = json.loads(subprocess.run(words, stderr=subprocess.PIPE, check=True).stderr)
    assert (event["event"], event["message"]) == ("start", "serving \x1b[2J here")


def journal_of(stream: TextIO) -> str:
    status = os.fstat(stream.fileno())
    return f"{status.st_dev}:{status.st_ino}"


def test_in_the_journal_a_line_of_what_is_wrong_begins_with_its_priority(
    pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOURNAL_STREAM", journal_of(pipe.stream))
    writer = LogWriter(pipe.stream)
    event_log = EventLog(writer)
    event_log.write("bug", reason="x")
    event_log.write("outbox waits", reason="x")
    event_log.write_line("animal added", {"id": 1})
    with logged(event_log):
        logging.getLogger("a").error("wrong")
    event_log.write_line("bug", {"traceback": "x" * 9_000})
    found = pipe.drained(writer)
    assert [line.partition("{")[0] for line in found] == ["<3>", "<4>", "", "<3>", "<3>"]
    assert all(json.loads(line.partition(">")[2] or line) for line in found)
    assert max(map(len, found)) < WHOLE


def test_a_log_that_is_not_the_journal_has_no_priorities(
    pipe: Pipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a program that a unit starts has its standard error elsewhere."""
    with (tmp_path / "other").open("w") as other:
        for journal in (journal_of(other), "", "x", "1:"):
            monkeypatch.setenv("JOURNAL_STREAM", journal)
            writer = LogWriter(pipe.stream)
            EventLog(writer).write("bug", reason=journal)
            assert writer.drain(PATIENCE)
            writer.close()
    assert [line[0] for line in pipe.drained(LogWriter(pipe.stream))] == ["{"] * 4


def test_a_line_that_must_not_be_lost_is_out_of_the_process_when_the_call_returns(
    pipe: Pipe,
) -> None:
    writer = LogWriter(pipe.stream)
    event_log = EventLog(writer)
    for number in range(100):
        event_log.write_line("end", {"session": number})
        event_log.write_now("animal added", {"id": number})
        assert json.loads(pipe.reader.readline())["session"] == number
        os.set_blocking(pipe.reader.fileno(), False)  # what is not there yet would raise
        assert json.loads(pipe.reader.readline())["id"] == number
        os.set_blocking(pipe.reader.fileno(), True)
    writer.close()


def test_a_log_that_nobody_reads_is_waited_for_once(
    pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    writer = LogWriter(pipe.stream, capacity=1 << 26)
    wait_for = writer._written.wait_for
    monkeypatch.setattr(logs, "MOMENT", 0.01)
    monkeypatch.setattr(
        writer._written, "wait_for", lambda *how: waited.append(how[1]) or wait_for(*how)
    )
    event_log = EventLog(writer)
    for _ in range(10):
        event_log.write_now("animal added", {"reason": "x" * 400})
    readable = len(waited)
    assert readable == 10
    for _ in range(1_000):  # more than the pipe takes
        event_log.write_now("animal added", {"reason": "x" * 400})
    stuck = len(waited)
    event_log.write_now("animal added", {})
    assert len(waited) == stuck
    assert len(pipe.drained(writer)) == 1_011
