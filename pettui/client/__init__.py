"""The service's client: nothing here knows that a screen exists.

No other room imports the modules behind this one. Scripts find the interface's resources here, too.
"""

from __future__ import annotations

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
    maybe_sent,
    refusal_title,
)
from pettui.client.pet_client import PetClient, prepare
from pettui.client.request_log import LoggedRequest, RequestLog
from pettui.client.requests import (
    ANNOUNCED,
    Notice,
    PetAnswer,
    PetPage,
    is_store_id,
    structured_string,
)
from pettui.client.retrying import Backoff, OnWait, Pace, PendingRetry, granted
from pettui.models.pets import NewPet, Pet, PetStatus, UnreadablePet

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
    "is_gone",
    "is_store_id",
    "maybe_sent",
    "prepare",
    "refusal_title",
    "structured_string",
]
