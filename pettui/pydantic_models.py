"""The interface's resources as pydantic models, for values that need conversion or an error.

Importing pydantic takes a fifth of the time of a start. ``models`` accepts what is plainly right
without it, and uses these models for anything else: to convert it (``1.0`` is a whole number), or
to say what is wrong with it.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictStr

from pettui.field_rules import PetStatus, encodable, int64, known_status

Int64 = Annotated[int, BeforeValidator(int64)]


class NewPetModel(BaseModel):
    """The body of createPet."""

    name: Annotated[StrictStr, AfterValidator(encodable)]
    category_id: Int64 = Field(alias="categoryId")
    status: PetStatus | None = None


class PetModel(BaseModel):
    """An animal as the service returns it."""

    model_config = ConfigDict(extra="allow")

    id: Int64
    name: StrictStr
    category_id: Int64 = Field(alias="categoryId")
    status: Annotated[PetStatus | StrictStr | None, BeforeValidator(known_status)] = None


class ErrorBodyModel(BaseModel):
    """The interface's Error."""

    model_config = ConfigDict(extra="allow")

    code: StrictStr
    message: StrictStr
    status: Int64
