"""Everything that goes on in the background, and who notices when it fails.

Each thread, task and timer that the source starts stands here, by the function that starts it. A
new one has to be thought about, what ends it too, and made to raise in a test.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pettui

SOURCE = Path(pettui.__file__).parent

STARTERS = frozenset({
    "Thread", "Timer", "start_new_thread", "ThreadPoolExecutor", "ProcessPoolExecutor", "Process", "fork",
    "to_thread", "run_in_executor", "create_task", "ensure_future", "TaskGroup", "run_coroutine_threadsafe",
    "run_worker", "work", "set_interval", "set_timer", "add_reader", "AsyncConnectionPool",
})  # fmt: skip
OF_A_LOOP = frozenset({"call_later", "call_at"})  # of a widget they only queue a message
ANY = re.compile(rf"\b({'|'.join(STARTERS | OF_A_LOOP)})\(|@work\b")


WORK = {
    "it is told, and it, or another in its place, goes on": [
        "composition/served_apps.py _one_store create_task",
        "system/logs.py LogWriter._start_thread Thread",
        "outbox/outbox.py Outbox._start create_task",
        "outbox/stores/postgres_connections.py StateDatabase.__init__ Thread",
        "outbox/stores/postgres_connections.py StateDatabase._start_keeping create_task",
        "service/server.py Server._listen add_reader",
        "service/server.py _serve create_task",
        "service/stores/postgres.py Connections.__init__ AsyncConnectionPool",
        "ssh/apps/app_pool.py PreparedApp.start create_task",
        "ssh/processes.py Supervisor._start fork",
        "ssh/worker.py Server._keep create_task",
        "remembered/last_lists.py LastListsWriter._change Thread",
    ],
    "whoever awaits it gets the error": [
        "composition/health.py Lookout._count to_thread",
        "composition/health.py Lookout.look to_thread",
        "cli/commands/app.py OtherProfiles.test to_thread",
        "cli/commands/importing.py ImportCommand._begin_empty to_thread",
        "cli/commands/outbox.py _sent to_thread",
        "composition/sender.py send_to_its_end to_thread",
        "composition/served_apps.py StoreAppFactory._log_in to_thread",
        "system/threads.py LoopThreads.submit Thread",
        "composition/threads.py check_threads Thread",
        "composition/unattended.py UnattendedSending._look to_thread",
        "composition/unattended.py UnattendedSending._send to_thread",
        "composition/unattended.py UnattendedSending._send_all to_thread",
        "composition/unattended.py UnattendedSending.run to_thread",
        "client/http.py _parsed to_thread",
        "client/pet_client.py _LazyTransport.opened create_task",
        "client/pet_client.py _LazyTransport.opened to_thread",
        "configuration/api_keys.py asked_keyring Thread",
        "outbox/store_thread.py StoreThread.shielded create_task",
        "outbox/stores/postgres_connections.py StateDatabase._submit run_coroutine_threadsafe",
        "service/server.py _opened_metrics create_task",
        "service/server.py tend_keys to_thread",
        "service/stores/batches.py Batches._start create_task",
        "service/stores/sqlite.py GroupWriter.write Thread",
        "ssh/apps/app_pool.py AppPool._draw_first_frame create_task",
        "ssh/fair_loop.py AppThreads._start Thread",
        "ssh/apps/served_app.py ServedApp.run_on_channel create_task",
        "ssh/connection.py Connection._answer_for create_task",
        "ssh/fair_loop.py FairEventLoop.run_in_executor run_in_executor",
        "ssh/testing.py listening create_task",
        "ssh/testing.py _AppServer.running Thread",
        "ssh/worker.py _run create_task",
        "transfer/import_run.py ImportRun._send_with_progress create_task",
        "transfer/journal.py Journal.sync run_in_executor",
        "tui/transfer/export_line.py ExportLine._write to_thread",
        "tui/transfer/export.py write_in_thread run_in_executor",
        "tui/detail/command_runs.py _with_output create_task",
        "tui/list/pet_list.py PetListScreen.count_samples to_thread",
        "tui/transfer/importing.py PetImportScreen._empty to_thread",
        "tui/transfer/importing.py PetImportScreen._look to_thread",
        "tui/transfer/importing.py empty_store to_thread",
        "tui/screens/profiles.py ProfilesScreen._read to_thread",
        "tui/screens/profiles.py ProfilesScreen._problem to_thread",
    ],
    "asyncio logs it; the next event starts it again": [
        "system/background_tasks.py Timer.start call_later",
        "composition/served_apps.py ServedPetApp.on_load create_task",
        "cli/commands/app.py _run call_later",
        "outbox/stores/postgres_connections.py StateDatabase._cut_after call_later",
        "service/server.py Server._accept create_task",
        "service/connection.py ServiceProtocol.check call_later",
        "service/server.py Server._pause call_later",
        "ssh/fair_loop.py AppThreads.submit call_later",
        "ssh/apps/app_pool.py Starts.turn call_later",
        "ssh/apps/collecting.py GcSchedule.app_ended call_later",
        "ssh/apps/served_app.py FirstScreen.__init__ Timer",
        "ssh/asyncssh_internals.py ServerConnection._wait_for_share call_later",
        "ssh/logins.py Logins.__init__ Timer",
        "ssh/session.py SshSession.__init__ Timer",
    ],
    "Textual ends the app with a report, and the terminal is restored": [
        "composition/local_app.py LocalApp.on_mount set_interval",
        "ssh/apps/served_app.py FirstScreen.begin set_timer",
        "transfer/importing.py Import._keep_open create_task",
        "transfer/importing.py Import._keep_open to_thread",
        "transfer/importing.py Import._write_results create_task",
        "transfer/importing.py Import._write_results to_thread",
        "tui/app.py PetApp._count_down set_interval",
        "tui/app.py PetApp._faults_changed set_timer",
        "tui/app.py PetApp.set_timer set_timer",
        "tui/app.py PetApp.use_theme to_thread",
        "tui/deferred_imports.py preload to_thread",
        "tui/session/key_order.py OrderedKeysApp._end_in_turn run_worker",
        "tui/session/key_order.py OrderedKeysApp._handle run_worker",
        "tui/session/key_order.py OrderedKeysApp.exit_after_keys run_coroutine_threadsafe",
        "tui/detail/command_runs.py OwnCommands.start run_worker",
        "tui/screens/requests.py RequestsScreen.on_mount set_interval",
        "tui/transfer/import_line.py ImportLine._opened run_in_executor",
        "tui/screens/app_screen.py asks.begin run_worker",
        "tui/form/pet_create.py PetCreateScreen.on_entry_list_counted_down set_timer",
        "tui/form/pet_create.py PetCreateScreen._start_saving run_worker",
        "tui/detail/pet_detail.py PetDetailScreen.action_step run_worker",
        "tui/detail/pet_detail.py PetDetailScreen._look_into_receipt run_worker",
        "tui/transfer/import_line.py ImportLine._checked to_thread",
        "tui/transfer/importing.py PetImportScreen._ask_what_it_means to_thread",
        "tui/transfer/importing.py PetImportScreen._read_again to_thread",
        "tui/transfer/mapping_box.py MappingScreen.action_keep_mapping to_thread",
        "tui/transfer/mapping_box.py MappingScreen.action_without_header to_thread",
        "tui/transfer/import_line.py ImportLine._open to_thread",
        "tui/screens/profiles.py ProfilesScreen.action_test_profile run_worker",
        "tui/screens/profiles.py ProfilesScreen.on_mount run_worker",
        "tui/session/request.py Request.start run_worker",
        "tui/outbox/entry_table.py EntryList._count_down set_timer",
        "tui/widgets/header.py HeaderBar.turn set_interval",
        "tui/list/pet_list.py PetListScreen.draw set_timer",
        "tui/widgets/prompt.py PromptLine.do run_worker",
        "tui/widgets/prompt.py PromptLine._complete_path to_thread",
    ],
    "its session, its connection or its app ends with a report": [
        "ssh/proxy_protocol.py ProxiedConnection.__init__ Timer",
        "ssh/session.py SshSession.__init__ Timer",
        "ssh/session.py SshSession.session_started create_task",
        "ssh/session_terminal.py SessionTerminal.__init__ Timer",
        "terminal/driver.py CellDriver.__init__ Timer",
        "terminal/tty_driver.py TtyDriver.start_application_mode add_reader",
        "terminal/tty_driver.py TtyOutput.__init__ Thread",
    ],
    "an OutboxError, or its animal is unknown, and the bug is reported; the next one starts it again": [
        "outbox/store_thread.py StoreThread.__init__ ThreadPoolExecutor",
        "outbox/store_thread.py StoreThread.run run_in_executor",
        "outbox/drafts.py Drafts._start_writing create_task",
        "outbox/outbox.py Outbox._send_waiting create_task",
        "outbox/outbox.py Outbox._sent_while_claimed create_task",
        "transfer/import_run.py ImportRun._start_all create_task",
    ],
}
"""What follows when it raises, and what starts such work: module, function and starter."""


def started() -> set[str]:
    """Return every place of the source that starts something, by module, function and starter."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        if ANY.search(text := path.read_text(encoding="utf-8")):
            name = path.relative_to(SOURCE).as_posix()
            found |= {f"{name} {place}" for place in places(ast.parse(text), "")}
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
            name = getattr(child.func, "attr", None) or getattr(child.func, "id", "")
            if name in STARTERS or (name in OF_A_LOOP and "loop" in ast.unparse(child.func)):
                found.add(f"{scope} {name}")
        found |= places(child, inside)
    return found


def test_all_background_work_is_in_the_table() -> None:
    known = {place for places in WORK.values() for place in places}
    assert not started() - known, (
        "say in WORK who notices when it fails, and make it raise in a test"
    )
    assert not known - started(), "take it out of WORK"
