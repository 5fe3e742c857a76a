"""Everything that goes on in the background: what ends it, who notices, and who starts it again.

Each thread, task and timer that the source starts stands here, by the function that starts it. A
new one has to be thought about, and made to raise in a test, before this passes again.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

import pytest

import pettui

SOURCE = Path(pettui.__file__).parent
TESTS = Path(__file__).parent

STARTERS = frozenset(
    {
        "Thread",
        "Timer",
        "start_new_thread",
        "ThreadPoolExecutor",
        "ProcessPoolExecutor",
        "Process",
        "fork",
        "to_thread",
        "run_in_executor",
        "create_task",
        "ensure_future",
        "TaskGroup",
        "run_coroutine_threadsafe",
        "run_worker",
        "work",
        "set_interval",
        "set_timer",
        "add_reader",
        "AsyncConnectionPool",
    }
)
OF_A_LOOP = frozenset({"call_later", "call_at"})  # of a widget they only queue a message


class Work(NamedTuple):
    """One thing in the background."""

    ends: str
    after_an_error: str  # who notices, and who starts it again
    test: str  # that makes it raise or fail, or shows that it ends; "" with a reason above it


ONCE = "once it has run"
ITS_CALLER = "whoever awaits it gets the error"
ITS_SCREEN = "Textual ends the app with a report, and the terminal is restored"
TOLD_BY_ASYNCIO = "asyncio logs it; the next event starts it again"
FAULTS = (
    "tests/outbox/test_background_errors.py::test_each_task_and_thread_goes_on_after_an_exception"
)
BUG = "tests/peers/test_terminal.py::test_a_bug_restores_the_terminal_and_leaves_one_line_and_a_report_without_the_key"
GATE = (
    "tests/ssh/connections/test_connection.py::test_a_client_that_opens_no_session_is_disconnected"
)
FLOOD = "tests/ssh/sessions/test_app_input.py::test_a_flood_is_passed_on_in_parts_and_loses_nothing"
CRASH = (
    "tests/ssh/sessions/test_session_ends.py"
    "::test_any_exception_is_reported_once_and_the_terminal_is_restored"
)
RAISED = (
    "tests/tui/test_background_faults.py"
    "::test_whatever_raises_in_the_background_ends_the_app_with_a_report"
)
ROOM = "tests/service/test_connections.py::test_more_connections_than_there_is_room_for_shut_nobody_out"
METRICS = "tests/service/test_metrics.py::test_requests_are_counted_by_operation_and_status"
UNATTENDED = "tests/cli/test_unattended.py::test_after_an_error_it_is_told_and_goes_on"

WORK = {
    # ── the service ──
    "service/stores/sqlite_writer.py GroupWriter._ensure_thread Thread": Work(
        "closing the store; it waits ten seconds at most",
        "the group is told, the thread goes on; where it ended, the next write starts it again",
        "tests/service/stores/test_sqlite_writer.py::test_a_group_that_fails_fails_alone",
    ),
    "service/stores/postgres_connections.py Connections.start create_task": Work(
        "its result, within ten seconds",
        "each request of the batch gets the error; the next request starts the next batch",
        "tests/service/stores/test_postgres.py::test_a_batch_that_raises_anything_fails_alone",
    ),
    "service/stores/postgres_connections.py Connections.__init__ AsyncConnectionPool": Work(
        "closing the store",
        "whoever gets no connection in three seconds is answered 503; the pool connects again",
        "tests/service/stores/test_postgres.py"
        "::test_while_the_database_is_away_it_answers_503_and_afterwards_again",
    ),
    "service/server.py Server._listen add_reader": Work(
        "closing the server", "an error is told once a minute, after a pause it goes on", ROOM
    ),
    "service/server.py Server._pause call_later": Work(ONCE, TOLD_BY_ASYNCIO, ROOM),
    "service/server.py Server._accept create_task": Work(
        "the handshake or its deadline", TOLD_BY_ASYNCIO, ROOM
    ),
    "service/server.py _serve create_task": Work(
        "closing the service",
        "a file that can't be written is told once, and tried again a minute later",
        "tests/service/test_keys.py::test_uses_that_cannot_be_saved_harm_nobody_and_are_saved_later",
    ),
    "service/server.py _keep_saved to_thread": Work(
        ONCE,
        ITS_CALLER,
        "tests/service/test_keys.py::test_uses_that_cannot_be_saved_harm_nobody_and_are_saved_later",
    ),
    "service/server.py _opened_metrics create_task": Work(
        "closing the service", "closing the service raises it", METRICS
    ),
    "logs.py LogWriter._start_thread Thread": Work(
        "draining the log",
        "it retries by itself; the next line starts it again",
        "tests/test_logs.py::test_if_no_thread_can_be_started_the_line_waits_for_one",
    ),
    # ── the terminal ──
    "tui/key_order.py OrderedKeysApp.exit_after_keys run_coroutine_threadsafe": Work(
        ONCE,
        ITS_SCREEN,
        "tests/tui/keys/test_last_keys.py"
        "::test_keys_that_wait_for_the_form_are_typed_into_it_before_the_app_ends",
    ),
    "tui/key_order.py OrderedKeysApp._handle run_worker": Work(
        "the first response, or a few seconds",
        ITS_SCREEN,
        "tests/tui/keys/test_first_keys.py"
        "::test_keys_wait_for_the_first_response_once_and_never_for_long",
    ),
    "tui/key_order.py OrderedKeysApp._end_in_turn run_worker": Work(
        "the keys that were typed before it, or five seconds",
        ITS_SCREEN,
        "tests/tui/keys/test_last_keys.py"
        "::test_a_key_that_never_finishes_does_not_keep_the_app_from_ending",
    ),
    "terminal/tty_driver.py TtyOutput.__init__ Thread": Work(
        "the end of the app, or a terminal that is gone; taking it again starts another",
        "an error of the terminal ends it: whoever reads from it ends the app",
        "tests/terminal/test_tty_output.py::test_what_is_written_to_a_terminal_that_is_gone_is_discarded",
    ),
    "terminal/tty_driver.py TtyDriver.start_application_mode add_reader": Work(
        "the end of the app, or a terminal that is gone, which ends the app",
        "guarded: the app ends with a report, and the terminal is restored",
        "tests/peers/test_terminal.py::test_a_hangup_without_a_signal_ends_it",
    ),
    # ── the client ──
    "cli/threads.py LoopThreads.submit Thread": Work(
        "once it has run; the end of the process waits half a second at most",
        ITS_CALLER,
        "tests/cli/test_threads.py::test_the_end_does_not_wait_for_a_call_that_never_returns",
    ),
    "client/pet_client.py _LazyTransport.opened create_task": Work(
        ONCE,
        "the call that waits gets the error; the next call opens again",
        "tests/client/http/test_tls.py::test_a_ca_file_that_is_none_is_reported_by_its_name",
    ),
    "client/pet_client.py _LazyTransport.opened to_thread": Work(
        ONCE,
        "the call that waits gets the error; the next call opens again",
        "tests/client/http/test_tls.py::test_a_ca_file_that_is_none_is_reported_by_its_name",
    ),
    "client/http.py _parsed to_thread": Work(
        ONCE, ITS_CALLER, "tests/client/hostile/test_bodies.py"
    ),
    # ── the outbox: its own table makes each of them raise ──
    "outbox/outbox.py Outbox._start create_task": Work(
        "closing the outbox", "keep_running tells of it and starts it again", FAULTS
    ),
    "outbox/outbox.py Outbox._send_waiting create_task": Work(
        "the outcome of its entry", "the entry is unknown, and the fault told", FAULTS
    ),
    "outbox/disk_thread.py DiskThread.__init__ ThreadPoolExecutor": Work(
        "closing the outbox", "an OutboxError; the next change starts it again", FAULTS
    ),
    "outbox/disk_thread.py DiskThread.run run_in_executor": Work(
        ONCE, "an OutboxError for whoever awaits it", FAULTS
    ),
    "outbox/disk_thread.py DiskThread.finish create_task": Work(ONCE, ITS_CALLER, FAULTS),
    "outbox/drafts.py Drafts.keep create_task": Work(
        "the newest draft is kept",
        "an OutboxError; the next key keeps again",
        "tests/outbox/test_background_errors.py::test_a_draft_is_kept_again_after_an_exception",
    ),
    "transfer/last_lists.py LastListsWriter._start_thread Thread": Work(
        "nothing is left to keep; the process does not wait for it",
        "a disk's error drops one copy, a bug is reported; the next answer starts it again",
        "tests/transfer/test_last_lists_writer.py"
        "::test_it_goes_on_after_an_error_and_reports_a_bug_once",
    ),
    # ── the screens ──
    "tui/deferred_imports.py preload to_thread": Work(
        "what is imported late is imported", ITS_SCREEN, RAISED
    ),
    "tui/screens/screen.py AppScreen.start_request run_worker": Work(
        "its answer, its deadline or Esc", ITS_SCREEN, RAISED
    ),
    "tui/screens/screen.py AppScreen.busy set_interval": Work(
        "the end of the wait", ITS_SCREEN, RAISED
    ),
    "tui/screens/screen.py AppScreen.busy set_timer": Work(
        "the end of the wait", ITS_SCREEN, RAISED
    ),
    "tui/screens/pet_list.py PetListScreen._await_refresh set_timer": Work(
        "the next answer or failure, which sets it anew",
        ITS_SCREEN,
        "tests/tui/screens/test_service_away.py"
        "::test_a_service_that_is_back_is_noticed_without_a_key",
    ),
    "tui/screens/pet_create.py PetCreateScreen._start_saving run_worker": Work(
        "the draft is kept", ITS_SCREEN, RAISED
    ),
    "tui/screens/pet_create.py PetCreateScreen._save set_timer": Work(
        "the draft is kept, or the last of a few attempts",
        ITS_SCREEN,
        "tests/tui/screens/adding/test_unkept_draft.py"
        "::test_a_draft_is_saved_without_a_key_once_the_disk_has_room",
    ),
    "tui/screens/pet_create.py PetCreateScreen._show_refusal_of run_worker": Work(
        "the draft is back in the form", ITS_SCREEN, RAISED
    ),
    "tui/screens/outbox.py OutboxScreen._confirm run_worker": Work(
        "what was confirmed is done", ITS_SCREEN, RAISED
    ),
    "tui/screens/pet_screen.py write_in_thread run_in_executor": Work(
        "the file is there, or Esc or the end of the app, which leave none",
        ITS_CALLER,
        "tests/tui/screens/test_file_writing.py::test_a_cancelled_write_leaves_no_file",
    ),
    "tui/screens/pet_screen.py PetScreen._write to_thread": Work(
        ONCE,
        ITS_CALLER,
        "tests/tui/screens/test_exporting.py"
        "::test_a_file_that_is_there_is_asked_about_before_all_pages_are_loaded",
    ),
    "tui/screens/pet_screen.py PetScreen.do_in_line run_worker": Work(
        "what was asked for is done, or Esc", ITS_SCREEN, RAISED
    ),
    "transfer/import_run.py ImportRun._send_with_progress create_task": Work(
        "all lines are sent, or the run is cancelled",
        ITS_CALLER,
        "tests/transfer/importing/test_import_run.py::test_an_exception_in_on_progress_ends_the_import",
    ),
    "transfer/import_run.py ImportRun._send_all create_task": Work(
        "all lines are planned, or nothing more is sent",
        ITS_CALLER,
        "tests/transfer/importing/test_import_run.py"
        "::test_on_a_full_disk_it_stops_before_the_next_line_without_losing_outcomes",
    ),
    "transfer/import_run.py ImportRun._start_all create_task": Work(
        "the line was answered, or is given up",
        "the line is unknown, and the bug is reported",
        "tests/transfer/importing/test_import_run.py"
        "::test_a_bug_makes_one_line_unknown_and_is_reported",
    ),
    "transfer/journal.py Journal.sync run_in_executor": Work(
        "the file is synced",
        ITS_CALLER,
        "tests/transfer/importing/test_import_run.py"
        "::test_on_a_full_disk_it_stops_before_the_next_line_without_losing_outcomes",
    ),
    "tui/screens/pet_list.py PetListScreen._open_import to_thread": Work(
        "the file was read; after Esc nobody waits for it", ITS_SCREEN, RAISED
    ),
    "tui/screens/importing.py opened_import run_in_executor": Work(
        "the journal is open; after Esc it is closed again", ITS_SCREEN, RAISED
    ),
    "transfer/importing.py Import._write_results create_task": Work(
        "the result was written", ITS_SCREEN, RAISED
    ),
    "transfer/importing.py Import._write_results to_thread": Work(
        "the result was written", ITS_SCREEN, RAISED
    ),
    "tui/app.py PetApp._faults_changed set_timer": Work(
        "the end of what is staged, or of the app",
        ITS_SCREEN,
        "tests/tui/test_staging.py::test_the_header_drops_a_fault_once_its_time_is_over",
    ),
    "tui/widgets/prompt.py PromptLine.complete_path to_thread": Work(
        "the directory was read", ITS_SCREEN, RAISED
    ),
    "tui/screens/pet_list.py PetListScreen._count_seconds set_interval": Work(
        "the end of watching, or of the screen",
        ITS_SCREEN,
        "tests/tui/screens/browsing/test_watch.py::test_w_again_ends_it",
    ),
    "tui/app.py PetApp._count_down set_interval": Work(
        "adds no longer wait, or the app's end",
        ITS_SCREEN,
        "tests/tui/screens/test_service_away.py"
        "::test_after_a_lost_response_the_line_says_how_long_adds_wait_and_what_tries_now",
    ),
    "tui/screens/history.py RequestsScreen.on_mount set_interval": Work(
        "the end of the screen",
        ITS_SCREEN,
        "tests/tui/screens/boxes/test_history.py"
        "::test_requests_that_follow_are_shown_and_the_cursor_stays_on_its_own",
    ),
    "tui/screens/pet_detail.py PetDetailScreen.action_step run_worker": Work(
        "the next page is loaded, or the screen ends",
        ITS_SCREEN,
        "tests/tui/screens/browsing/test_past_end.py",
    ),
    "tui/widgets/entry_table.py EntryList._count_down set_timer": Work(
        "the entry goes out",
        ITS_SCREEN,
        "tests/tui/screens/test_countdown.py::test_an_entry_is_counted_down_until_it_goes_out",
    ),
    "tui/app.py PetApp.use_theme to_thread": Work(
        ONCE,
        "a file that can't be written keeps nothing; a bug ends the app with a report",
        "tests/cli/test_kept_theme.py::test_a_state_directory_that_is_a_file_keeps_nothing",
    ),
    # ── the command line ──
    "cli/app.py _run call_later": Work(ONCE, TOLD_BY_ASYNCIO, BUG),
    "cli/app.py OtherProfiles.test to_thread": Work(
        ONCE, ITS_CALLER, "tests/tui/screens/boxes/test_profiles.py::test_its_service_is_asked"
    ),
    "tui/screens/profiles.py ProfilesScreen.on_mount run_worker": Work(
        "once the profiles are read",
        ITS_SCREEN,
        "tests/tui/screens/boxes/test_profiles.py::test_a_configuration_that_cannot_be_read_is_said",
    ),
    "tui/screens/profiles.py ProfilesScreen._list to_thread": Work(
        ONCE,
        ITS_CALLER,
        "tests/tui/screens/boxes/test_profiles.py::test_a_configuration_that_cannot_be_read_is_said",
    ),
    "tui/screens/profiles.py ProfilesScreen.action_test_profile run_worker": Work(
        "the answer, or the next key",
        ITS_SCREEN,
        "tests/tui/screens/boxes/test_profiles.py::test_its_service_is_asked",
    ),
    "tui/screens/profiles.py ProfilesScreen.action_switch_profile run_worker": Work(
        "the end of the box",
        ITS_SCREEN,
        "tests/tui/screens/boxes/test_profiles.py::test_one_that_cannot_be_opened_says_why_and_nothing_ends",
    ),
    "tui/screens/profiles.py ProfilesScreen._switch to_thread": Work(
        ONCE,
        ITS_CALLER,
        "tests/tui/screens/boxes/test_profiles.py::test_one_that_cannot_be_opened_says_why_and_nothing_ends",
    ),
    "cli/local_app.py LocalApp.on_mount set_interval": Work(
        "the end of the app",
        ITS_SCREEN,
        "tests/cli/test_local_app.py::test_garbage_is_collected_while_nobody_types",
    ),
    "configuration/api_keys.py _asked_keyring Thread": Work(
        "the keyring's answer, or the end of the process",
        "whoever asked, after 20 s at most",
        "tests/cli/one_shot/test_profile.py::test_a_keyring_that_does_not_answer_is_given_up",
    ),
    "cli/threads.py check_threads Thread": Work(
        "before the function returns",
        "a line, and nothing is begun",
        "tests/peers/test_thread_limit.py::test_the_app_says_what_it_needs_or_takes_an_animal",
    ),
    "cli/ssh_apps.py _demos ThreadPoolExecutor": Work(
        "the end of the process", "an OutboxError; the next change starts it again", FAULTS
    ),
    "cli/ssh_apps.py _one_store ThreadPoolExecutor": Work(
        "the end of the process", "an OutboxError; the next change starts it again", FAULTS
    ),
    "cli/ssh_apps.py _one_store create_task": Work(
        "the end of the process; what it did not send another process sends, or the next one",
        "keep_running logs it and starts it again after a minute",
        UNATTENDED,
    ),
    "cli/unattended.py UnattendedSending.run add_reader": Work(
        "the end of the process", TOLD_BY_ASYNCIO, UNATTENDED
    ),
    "cli/unattended.py UnattendedSending._send_all to_thread": Work(ONCE, ITS_CALLER, UNATTENDED),
    "cli/unattended.py UnattendedSending._tell to_thread": Work(ONCE, ITS_CALLER, UNATTENDED),
    # ── SSH ──
    "ssh/session_output.py WaitingClient.resize call_later": Work(
        ONCE,
        TOLD_BY_ASYNCIO,
        "tests/ssh/sessions/test_waiting.py::test_the_line_fits_the_terminal_even_after_a_resize",
    ),
    "ssh/processes.py Supervisor._start fork": Work(
        "SIGTERM, or the end of the first process",
        "the supervisor starts another",
        "tests/ssh/test_supervisor.py::test_a_child_of_a_dead_worker_holds_up_nobody",
    ),
    "ssh/session_input.py AppInput._check_timing_soon call_later": Work(
        "a frame, or the app came to the key, or its end",
        TOLD_BY_ASYNCIO,
        "tests/ssh/sessions/test_frame_times.py::test_a_key_without_a_frame_is_not_measured",
    ),
    "ssh/worker.py Server._keep create_task": Work(
        "the end of the server",
        "keep_running reports it and starts it again",
        "tests/test_background_tasks.py"
        "::test_a_background_task_that_raises_is_reported_and_restarted",
    ),
    "ssh/logins.py Logins._start_next call_at": Work(
        "nobody waits to log in any more",
        TOLD_BY_ASYNCIO,
        "tests/ssh/test_logins.py::test_a_slow_login_does_not_delay_others",
    ),
    "ssh/apps/app_pool.py PreparedApp.start create_task": Work(
        "the end of its app",
        "keep_ready removes it, reports it and starts another",
        "tests/ssh/apps/test_app_pool.py::test_a_prepared_app_that_crashed_is_not_claimed",
    ),
    "ssh/session.py SshSession.session_started create_task": Work(
        "the end of the session", "reported, told in a line, its place is free", CRASH
    ),
    "ssh/session_input.py AppInput._resize_after call_later": Work(
        ONCE, "guarded: the session ends, reported and told", CRASH
    ),
    "ssh/session_app.py AppRunner.end call_later": Work(ONCE, TOLD_BY_ASYNCIO, CRASH),
    "ssh/session.py SshSession._close_channel call_later": Work(ONCE, TOLD_BY_ASYNCIO, CRASH),
    "ssh/session_output.py ChannelOutput.has_room call_later": Work(
        "there is room again, or the channel is gone", "guarded: the session ends, told", CRASH
    ),
    "terminal/driver.py CellDriver._wait_for_rest call_later": Work(
        ONCE, "guarded: the session ends, reported and told", CRASH
    ),
    "ssh/connection.py Connection._start_deadline call_later": Work(
        "a session, or its deadline", "the connection ends, and the bug is reported once", GATE
    ),
    "ssh/session_limits.py IdleClock._check call_later": Work(
        "the end of the session",
        "guarded: the session ends, told",
        "tests/ssh/sessions/test_session_ends.py"
        "::test_a_bug_in_the_countdown_ends_the_session_with_a_message",
    ),
    "ssh/session_input.py AppInput._pass_on call_later": Work(
        "all is handed on, or the session's end", "guarded: the session ends, told", FLOOD
    ),
    "ssh/asyncssh_internals.py ServerConnection._wait_for_share call_later": Work(
        "the client is read again",
        TOLD_BY_ASYNCIO,
        "tests/ssh/connections/test_packet_flood.py"
        "::test_a_key_of_another_user_does_not_wait_for_a_flood_of_sizes",
    ),
    "ssh/apps/collecting.py GcSchedule.app_ended call_later": Work(
        ONCE,
        TOLD_BY_ASYNCIO,
        "tests/ssh/apps/test_app_pool.py"
        "::test_a_prepared_app_is_freed_after_its_session_without_a_collection",
    ),
    "ssh/apps/served_app.py ServedApp.run_on_channel create_task": Work(
        "the app has shut down",
        ITS_CALLER,
        "tests/ssh/apps/test_collecting.py"
        "::test_an_app_that_still_shuts_down_is_taken_apart_afterwards",
    ),
    "ssh/apps/app_pool.py Starts.turn call_later": Work(
        "the start is over, or took too long",
        TOLD_BY_ASYNCIO,
        "tests/ssh/apps/test_starts.py::test_a_start_that_takes_long_keeps_nobody_waiting",
    ),
    "ssh/apps/served_app.py FirstScreen._show call_later": Work(
        ONCE,
        TOLD_BY_ASYNCIO,
        "tests/ssh/apps/test_served_app.py::test_behind_a_first_frame_all_rows_are_drawn_even_so",
    ),
    "ssh/apps/served_app.py FirstScreen.begin set_timer": Work(ONCE, ITS_SCREEN, CRASH),
}


def started() -> set[str]:
    """Return every place of the source that starts something, by module, function and starter."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found |= {f"{path.relative_to(SOURCE).as_posix()} {place}" for place in places(tree, "")}
    return found


def places(node: ast.AST, scope: str) -> set[str]:
    """Return "function starter" of each call and decorator below a node."""
    found = set()
    for child in ast.iter_child_nodes(node):
        inside = scope
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = f"{scope}.{child.name}".lstrip(".")
            decorators = [ast.unparse(one).split("(")[0] for one in child.decorator_list]
            found |= {f"{inside} work" for one in decorators if one.split(".")[-1] == "work"}
        elif isinstance(child, ast.Call):
            owner, _, name = ast.unparse(child.func).rpartition(".")
            if name in STARTERS or (name in OF_A_LOOP and "loop" in owner):
                found.add(f"{scope} {name}")
        found |= places(child, inside)
    return found


def test_all_background_work_is_in_the_table() -> None:
    new, gone = started() - WORK.keys(), WORK.keys() - started()
    assert not new, "say in WORK what ends it, who notices, and which test makes it raise"
    assert not gone, "take it out of WORK"


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_every_row_names_what_ends_it_who_notices_and_an_existing_test(work: Work) -> None:
    assert work.ends
    assert work.after_an_error
    file, _, name = work.test.partition("::")
    path = TESTS.parent / file
    assert path.is_file(), f"there is no {file}"
    assert f"def {name}(" in path.read_text(encoding="utf-8") if name else True


def test_the_scan_sees_what_a_new_one_would_look_like() -> None:
    text = """
class Screen:
    @work(exclusive=True)
    async def load(self):
        self._timer = asyncio.get_running_loop().call_later(1, self.load)
        self.call_later(self.load)
        async with asyncio.TaskGroup() as group:
            group.create_task(self.load())
threading.Thread(target=print).start()
"""
    assert places(ast.parse(text), "") == {
        "Screen.load work",
        "Screen.load call_later",
        "Screen.load TaskGroup",
        "Screen.load create_task",
        " Thread",
    }
