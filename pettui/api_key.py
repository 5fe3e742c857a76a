"""ApiKey: a bearer key that shows itself nowhere."""

from __future__ import annotations


class ApiKey:
    """A bearer key that shows itself nowhere: ``repr``, ``str`` and formatting are masked.

    Only ``reveal()`` gives the key; the client's transport alone calls it.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Give the key itself."""
        return self._value

    def __repr__(self) -> str:
        return "ApiKey(***)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ApiKey) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("an API key is not pickled or copied to disk")

    def mask(self, text: str) -> str:
        """Give a text without the key, plain or escaped as ``repr`` does it: ``***`` instead."""
        for form in {self._value, repr(self._value)[1:-1]} - {""}:
            text = text.replace(form, "***")
        return text


def is_bearer_token(text: str) -> bool:
    """Tell whether a text can stand in ``Authorization: Bearer …``: one word of visible ASCII."""
    return text.isascii() and text.isprintable() and text != "" and " " not in text
