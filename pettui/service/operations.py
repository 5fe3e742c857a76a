"""Which operation a request is: found once, by the app, and read from the scope by all others."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.service.errors import ServiceError, not_found

if TYPE_CHECKING:
    from collections.abc import Mapping

OPERATION: Final = "pettui.operation"  # in the scope


class Operation(StrEnum):
    """The interface's operations by their names, and what needs no key."""

    LIST_PETS = "listPets"
    CREATE_PET = "createPet"
    GET_PET = "getPet"
    HEALTH = "health"
    DESCRIBE = "describe"
    OTHER = "other"  # none


_PET: Final = "/v1/pets/"  # and an id
_PATHS: Final[Mapping[str, Mapping[str, Operation]]] = MappingProxyType(
    {
        "/v1/pets": {
            "GET": Operation.LIST_PETS,
            "HEAD": Operation.LIST_PETS,
            "POST": Operation.CREATE_PET,
        },
        _PET: {"GET": Operation.GET_PET, "HEAD": Operation.GET_PET},
        "/healthz": {"GET": Operation.HEALTH, "HEAD": Operation.HEALTH},
        "/openapi.yaml": {"GET": Operation.DESCRIBE, "HEAD": Operation.DESCRIBE},
    }
)


def operation_of(method: str, path: str) -> Operation:
    """Return the operation of a request."""
    return _methods(path).get(method, Operation.OTHER)


def no_operation(path: str) -> ServiceError:
    """Return the refusal of a request that is none: 405 if its path has operations, else 404."""
    allowed = ", ".join(_methods(path))
    if not allowed:
        return not_found("No such path; the interface has /v1/pets and /v1/pets/{petId}")
    message = f"This path allows the methods {allowed}"
    return ServiceError(405, "method_not_allowed", message, {"Allow": allowed})


def _methods(path: str) -> Mapping[str, Operation]:
    pet_id = path.removeprefix(_PET)
    is_pet = pet_id not in ("", path) and "/" not in pet_id
    return _PATHS.get(_PET if is_pet else path, {}) if is_pet or path != _PET else {}


def is_of_interface(path: str) -> bool:
    """Whether a path is part of the interface, and needs an API key."""
    return path == "/v1" or path.startswith("/v1/")


def pet_id_of(path: str) -> str:
    """Return the petId of a request for one animal."""
    return path.removeprefix(_PET)
