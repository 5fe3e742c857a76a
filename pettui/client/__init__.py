"""The service's client: nothing here knows that a screen exists."""

from pettui.client.deprecation import Notice
from pettui.client.errors import (
    ErrorBodyError,
    NoAnswerError,
    NoErrorBodyError,
    PetClientError,
    UnreadableAnswerError,
)
from pettui.client.pet_client import PetClient
from pettui.client.results import PetAnswer, PetPage, UnreadablePet
from pettui.client.waiting import Waiting

__all__ = [
    "ErrorBodyError",
    "NoAnswerError",
    "NoErrorBodyError",
    "Notice",
    "PetAnswer",
    "PetClient",
    "PetClientError",
    "PetPage",
    "UnreadableAnswerError",
    "UnreadablePet",
    "Waiting",
]
