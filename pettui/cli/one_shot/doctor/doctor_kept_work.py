"""The doctor's findings about work on disk: the outbox, and journals of imports."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from pettui.cli.import_journals import imports_directory
from pettui.cli.local.app_parts import LOCAL
from pettui.configuration import DATABASE, data_directory, state_directory
from pettui.settings import StoreKind
from pettui.transfer.importing.import_summary import counted_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.cli.one_shot.doctor.doctor_findings import Findings
    from pettui.settings import Profile
    from pettui.transfer.importing.journals.journal_counts import JournalCounts


def find_outbox(findings: Findings, profile: Profile, environment: Mapping[str, str]) -> None:
    """Add what a profile's outbox contains."""
    if profile.kind is StoreKind.DEMO:
        findings.add("outbox", "entries", "in memory")
        return
    from pettui.outbox import outbox_counts

    is_service = profile.kind is StoreKind.SERVICE
    store = profile.base_url if is_service else str(data_directory(environment) / DATABASE)
    try:
        counts = outbox_counts(state_directory(), LOCAL, profile.name, store)
    except OSError as error:
        findings.add_problem(f"the outbox cannot be read: {error.strerror}")
        return
    states = ", ".join(f"{count} {state}" for state, count in counts.entries.items())
    findings.add("outbox", "directory", str(counts.directory))
    findings.add("outbox", "entries", states or "none")
    findings.add("outbox", "drafts", str(counts.drafts))
    if counts.damaged:
        findings.add_problem(f"damaged files: {counts.damaged}, in {counts.directory}")
    for line in counts.others:
        findings.add_problem(line)


def find_imports(findings: Findings) -> None:
    """Add what the journals of imports contain, and who can read them."""
    from pettui.transfer.importing.journals.journal_counts import journal_counts

    journals = journal_counts(imports_directory())
    if not journals:
        findings.add("imports", "journals", "none")
    for journal in journals:
        _find_journal(findings, journal)


def _find_journal(findings: Findings, journal: JournalCounts) -> None:
    if journal.problem is not None:
        findings.add_problem(f"{journal.path}: {journal.problem}")
        return
    try:
        mode = stat.S_IMODE(journal.path.stat().st_mode)
    except OSError as error:  # deleted in the meantime
        findings.add_problem(f"{journal.path}: {error.strerror}")
        return
    lines = f"{counted_lines(journal.added)} added, {journal.unknown:,} unknown"
    findings.add("imports", journal.address, f"{lines}; {journal.path}, mode {mode:04o}")
    if os.name == "posix" and mode & 0o077:
        findings.add_problem(f"others can read {journal.path}; run: chmod go-rwx {journal.path}")
