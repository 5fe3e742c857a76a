"""The service's client: nothing here knows that a screen exists.

No other room imports the modules behind this one.
"""

from pettui.client.errors import (
    NOT_FOUND,
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
from pettui.client.requests import ANNOUNCED, Notice, PetAnswer, PetPage
from pettui.client.retrying import OnWait, PendingRetry
from pettui.unreadable import UnreadablePet

__all__ = [
    "ANNOUNCED",
    "NOT_FOUND",
    "ErrorBodyError",
    "IncompleteListError",
    "LoggedRequest",
    "NoAnswerError",
    "NoErrorBodyError",
    "NoKeyError",
    "Notice",
    "OnWait",
    "PendingRetry",
    "PetAnswer",
    "PetClient",
    "PetClientError",
    "PetPage",
    "RequestLog",
    "UnreadableAnswerError",
    "UnreadablePet",
    "is_gone",
    "refusal_title",
]
