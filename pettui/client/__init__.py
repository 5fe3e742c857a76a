"""The service's client: nothing here knows that a screen exists.

No other room imports the modules behind this one.
"""

from pettui.client.errors import (
    ErrorBodyError,
    NoAnswerError,
    NoErrorBodyError,
    NoKeyError,
    PetClientError,
    UnreadableAnswerError,
)
from pettui.client.messages import ANNOUNCED, Notice, PetAnswer, PetPage, UnreadablePet
from pettui.client.pet_client import PetClient
from pettui.client.retrying import OnWait, PendingRetry

__all__ = [
    "ANNOUNCED",
    "ErrorBodyError",
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
    "UnreadableAnswerError",
    "UnreadablePet",
]
