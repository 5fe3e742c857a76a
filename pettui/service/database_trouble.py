"""Trouble with the database: in the log when it begins, for each reason, and when it is over."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.service.stores.store import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pettui.system.logs import Field

logger = logging.getLogger(__name__)

NO_FIELDS: Mapping[str, Field] = MappingProxyType({})
NO_MEMORY = "there is no memory left"
REASONS: Final = 10  # of one trouble


class DatabaseTrouble:
    """Whether a store's database can be used, as far as requests have shown.

    On a full disk animals can be read and not added. So an add shows that the trouble is over, and
    a read does only if reads failed, too.
    """

    def __init__(self, database: Mapping[str, Field]) -> None:
        """Start without trouble; ``database`` is what the log says of it."""
        self._database = database
        self._since: float | None = None  # by time.monotonic
        self._reasons: set[str] = set()  # that are in the log
        self._failed = 0  # requests
        self._reads_failed = False

    @property
    def is_over(self) -> bool:
        """Whether there is none."""
        return self._since is None

    @contextmanager
    def watched(self, *, is_read: bool) -> Iterator[None]:
        """Watch one use of the database."""
        try:
            yield
        except StoreUnavailableError as error:
            self._record_failure(str(error), is_read=is_read)
            raise
        except MemoryError as error:
            self._record_failure(NO_MEMORY, is_read=is_read)
            raise StoreUnavailableError(NO_MEMORY) from error
        if self._since is not None and (self._reads_failed or not is_read):
            self._end(self._since)

    def _record_failure(self, reason: str, *, is_read: bool) -> None:
        if self._since is None:
            self._since = time.monotonic()
        if reason not in self._reasons and len(self._reasons) < REASONS:
            self._reasons.add(reason)
            fields = {**self._database, "reason": reason}
            logger.error(
                "the database can't be used: %s",
                reason,
                extra={"event": "database unavailable", "fields": fields},
            )
        self._failed += 1
        self._reads_failed = self._reads_failed or is_read

    def _end(self, since: float) -> None:
        seconds = round(time.monotonic() - since, 3)
        fields = {**self._database, "seconds": seconds, "failed": self._failed}
        self._since, self._failed, self._reads_failed = None, 0, False
        self._reasons.clear()
        logger.warning(
            "the database can be used again",
            extra={"event": "database available", "fields": fields},
        )
