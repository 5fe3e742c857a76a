"""Logs: the lines of events, and writing that never holds anybody up (real pipes and disks)."""

from __future__ import annotations

import io
import json
import logging
import os
import pty
import re
import resource
import subprocess
import sys
import threading
from contextlib import contextmanager, redirect_stderr
from typing import TYPE_CHECKING

import pytest

from pettui.logs import LINES, PERIOD, TEXT_MAXIMUM, WHOLE, EventLog, EventStream, LogWriter, logged
from tests.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TextIO

PATIENCE = 60  # seconds


@contextmanager
def pipe() -> Iterator[tuple[int, TextIO]]:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream, os.fdopen(reading, "rb", closefd=False):
        yield reading, stream
        os.close(reading)


def read_lines(reading: int) -> list[str]:
    with os.fdopen(os.dup(reading)) as stream:
        return stream.read().splitlines()


def drained(writer: LogWriter, reading: int) -> list[str]:
    """Read while a writer writes the rest and is closed; return the lines."""
    taken: list[str] = []
    reader = threading.Thread(target=lambda: taken.extend(read_lines(reading)), daemon=True)
    reader.start()
    assert writer.drain(PATIENCE)
    writer.close()
    reader.join(PATIENCE)
    return taken


def test_a_pipe_that_nobody_reads_blocks_nobody_and_dropped_lines_are_counted() -> None:
    with pipe() as (reading, stream):
        writer = LogWriter(stream, capacity=100_000)
        written = 20_000
        for number in range(written):  # far more than pipe and queue take
            writer.write(f"line {number}\n")
        assert not writer.drain(0.01)
        stream.close()
        taken = drained(writer, reading)
        number = 0
        for line in taken:  # in order, and each gap is told where it is
            if line.startswith("{"):
                number += json.loads(line)["dropped"]
            else:
                assert line == f"line {number}"
                number += 1
        assert number == written


def test_a_writer_can_be_used_again_after_a_drain() -> None:
    with pipe() as (reading, stream):
        writer = LogWriter(stream)
        for text in ("one\n", "two\n"):
            writer.write(text)
            assert writer.drain(PATIENCE)
        writer.close()
        stream.close()
        assert read_lines(reading) == ["one", "two"]


def test_a_log_without_a_stream_is_drained_and_closed_at_once() -> None:
    """As a server's is whose standard error is closed."""
    writer = LogWriter(None)
    writer.write("lost\n")
    assert writer.drain(PATIENCE)
    writer.close()


def test_no_thread_is_left_after_a_drain_so_that_a_process_may_fork() -> None:
    with pipe() as (_reading, stream):
        writer = LogWriter(stream)
        before = threading.active_count()
        writer.write("one\n")
        assert writer.drain(PATIENCE)
        assert threading.active_count() == before
        writer.close()


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


def test_a_pipe_that_another_made_non_blocking_is_waited_for() -> None:
    with pipe() as (reading, stream):
        os.set_blocking(stream.fileno(), False)
        writer = LogWriter(stream)
        for number in range(20_000):
            writer.write(f"line {number}\n")
        stream.close()
        taken = drained(writer, reading)
        assert len(taken) == 20_000


def test_lone_surrogates_are_written_as_escapes() -> None:
    with pipe() as (reading, stream):
        writer = LogWriter(stream)
        writer.write("a\udcffb\n")
        assert writer.drain(PATIENCE)
        writer.close()
        stream.close()
        assert read_lines(reading) == ["a\\udcffb"]


def refuse(_: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_if_no_thread_can_be_started_the_line_waits_for_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pipe() as (reading, stream):
        writer = LogWriter(stream)
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", refuse)
            writer.write("without a thread\n")
        writer.write("with one\n")
        assert writer.drain(PATIENCE)
        writer.close()
        stream.close()
        assert read_lines(reading) == ["without a thread", "with one"]


def test_without_a_thread_lines_are_written_at_the_end_as_far_as_possible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pipe() as (reading, stream):
        writer = LogWriter(stream)
        writer.write("without a thread\n")
        assert writer.drain(PATIENCE)
        for _ in range(1000):
            writer.write("x" * 999 + "\n")
        assert not writer.drain(PATIENCE)  # the pipe is full: nobody reads yet
        writer.close()
        stream.close()
        first, *others = read_lines(reading)
    assert first == "without a thread"
    assert set(others) == {"x" * 999}


COLLECTING = """
import gc, os, sys
from pettui.logs import LogWriter

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
    done = subprocess.run(words, capture_output=True, timeout=60, check=True)
    assert done.stderr == b""
    assert done.stdout.count(b"line\n") == 20_000
    assert done.stdout.count(b"collected\n") > 0


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def log() -> io.StringIO:
    return io.StringIO()


def lines(log: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_thousands_of_refusals_are_a_few_lines_and_a_count(log: io.StringIO, clock: Clock) -> None:
    event_log = EventLog(log, clock)
    for number in range(5000):
        event_log.write("dropped", address=f"192.0.2.{number % 256}", reason="too many logins")
    assert len(lines(log)) == LINES
    clock.now += PERIOD
    event_log.write("begin", name="ada")
    counted, begun = lines(log)[LINES:]
    assert counted["event"] == "dropped"
    assert counted["reason"] == "too many logins"
    assert counted["more"] == 5000 - LINES
    assert begun["event"] == "begin"


def test_a_flood_of_one_kind_does_not_hide_others(log: io.StringIO, clock: Clock) -> None:
    event_log = EventLog(log, clock)
    for _ in range(5000):
        event_log.write("dropped", address="192.0.2.1", reason="too many logins")
    event_log.write("dropped", address="192.0.2.2", reason="too many failures")
    event_log.write("refused", address="192.0.2.2", reason="forwarding")
    for _ in range(100):
        event_log.write_line("end", {"name": "ada"})
    assert [line["event"] for line in lines(log)[LINES:]] == ["dropped", "refused", *["end"] * 100]


def test_remaining_counts_are_written_at_the_end(log: io.StringIO, clock: Clock) -> None:
    event_log = EventLog(log, clock)
    for _ in range(LINES + 1):
        event_log.write("refused", reason="forwarding")
    event_log.close()
    assert lines(log)[-1]["more"] == 1
    event_log.close()
    assert len(lines(log)) == LINES + 1


def test_a_warning_is_a_line_of_json() -> None:
    log = io.StringIO()
    with logged(EventLog(log)):
        logging.getLogger("a.library").warning("%s\nsaid twice: %d", "a\x1b[2Jb", 2)
    [line] = lines(log)
    assert line["event"] == "warning"
    assert line["logger"] == "a.library"
    assert line["level"] == "warning"
    assert line["reason"] == "a\x1b[2Jb\nsaid twice: 2"


def test_warnings_after_the_block_are_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = io.StringIO()
    with logged(EventLog(log)):
        pass
    logging.getLogger("asyncio").warning("later")
    assert caplog.messages == ["later"]
    assert not log.getvalue()


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
    clock.now += PERIOD
    event_log.close()
    counts = lines(log)[written:]
    assert {"event": "login refused", "address": "192.0.2.1", "more": 4990}.items() <= counts[
        0
    ].items()
    assert sum(line["more"] for line in counts) + written == 10_001


def test_a_record_may_name_its_event_and_fields_and_has_its_traceback(log: io.StringIO) -> None:
    with logged(EventLog(log)):
        try:
            {}["gone"]
        except KeyError:
            extra = {"event": "lost", "fields": {"host": "db"}}
            logging.getLogger("a").exception("failed", extra=extra)
    [line] = lines(log)
    assert (line["event"], line["level"], line["host"]) == ("lost", "error", "db")
    assert line["traceback"].endswith("KeyError: 'gone'")


def test_what_is_printed_on_standard_error_is_an_event_a_line(log: io.StringIO) -> None:
    with redirect_stderr(EventStream(EventLog(log))):
        print("one", 2, file=sys.stderr)
        sys.stderr.write("three\nfour\nno end")
    assert [line["message"] for line in lines(log)] == ["one 2", "three", "four"]


STARTED = (
    "import sys; from pettui.logs import announce; announce(['serving \\x1b[2J here'], sys.stderr)"
)


def test_a_start_is_in_words_on_a_terminal_and_an_event_elsewhere() -> None:
    reading, writing = pty.openpty()
    try:
        for stream in (writing, subprocess.PIPE):
            found = subprocess.run(
                [sys.executable, "-c", STARTED], stderr=stream, timeout=60, check=True
            )
            if stream == writing:
                assert os.read(reading, 1000).decode() == "pettui: serving ␛[2J here\r\n"
            else:
                event = json.loads(found.stderr)
                assert (event["event"], event["message"]) == ("start", "serving \x1b[2J here")
    finally:
        os.close(reading)
        os.close(writing)
