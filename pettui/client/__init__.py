"""The service's client: nothing here knows that a screen exists.

No other room imports the modules behind this one. Scripts find the interface's resources here, too,
which are imported when they are used: the app's first frame needs none.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pettui.client.backoff import Backoff, Pace, granted, growth
from pettui.client.errors import (
    NOT_FOUND,
    TOO_MANY,
    ErrorBodyError,
    IncompleteListError,
    NoAnswerError,
    NoErrorBodyError,
    NoKeyError,
    PetClientError,
    UnreadableAnswerError,
    is_gone,
    refusal_title,
)
from pettui.client.pet_client import PetClient
from pettui.client.request_log import LoggedRequest, RequestLog
from pettui.client.requests import (
    ANNOUNCED,
    Notice,
    PetAnswer,
    PetPage,
    is_store_id,
    structured_string,
)
from pettui.client.retrying import OnWait, PendingRetry
from pettui.models.unreadable import UnreadablePet

if TYPE_CHECKING:
    from pettui.models.pets import NewPet, Pet, PetStatus

__all__ = [
    "ANNOUNCED",
    "NOT_FOUND",
    "TOO_MANY",
    "Backoff",
    "ErrorBodyError",
    "IncompleteListError",
    "LoggedRequest",
    "NewPet",
    "NoAnswerError",
    "NoErrorBodyError",
    "NoKeyError",
    "Notice",
    "OnWait",
    "Pace",
    "PendingRetry",
    "Pet",
    "PetAnswer",
    "PetClient",
    "PetClientError",
    "PetPage",
    "PetStatus",
    "RequestLog",
    "UnreadableAnswerError",
    "UnreadablePet",
    "granted",
    "growth",
    "is_gone",
    "is_store_id",
    "refusal_title",
    "structured_string",
]

_OF_PETS = frozenset({"NewPet", "Pet", "PetStatus"})


def __getattr__(name: str) -> Any:
    """Import one of the interface's resources when it is used."""
    if name not in _OF_PETS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("pettui.models.pets"), name)
