"""The service's client: nothing here knows that a screen exists."""

from pettui.client.errors import (
    ErrorBodyError,
    NoAnswerError,
    NoErrorBodyError,
    PetClientError,
    UnreadableAnswerError,
)
from pettui.client.notice import Notice
from pettui.client.pending_retry import PendingRetry
from pettui.client.pet_client import PetClient
from pettui.client.results import PetAnswer, PetPage, UnreadablePet

__all__ = [
    "ErrorBodyError",
    "NoAnswerError",
    "NoErrorBodyError",
    "Notice",
    "PendingRetry",
    "PetAnswer",
    "PetClient",
    "PetClientError",
    "PetPage",
    "UnreadableAnswerError",
    "UnreadablePet",
]
