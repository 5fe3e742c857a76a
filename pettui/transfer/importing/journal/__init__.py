"""The journal of imports: which lines earlier imports added to an address, or may have added.

This is the way in.
"""

from pettui.transfer.importing.journal.journal import Journal
from pettui.transfer.importing.journal.journal_counts import JournalCounts, journal_counts
from pettui.transfer.importing.journal.journal_file import JournalBusyError, JournalError

__all__ = ["Journal", "JournalBusyError", "JournalCounts", "JournalError", "journal_counts"]
