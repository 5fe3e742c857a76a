"""The description that the service sends: the interface's, with what this service adds to it.

The file itself stays as the interface's publisher has it. What is added stands here as text, so
that nothing is needed to read YAML.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_ERROR: Final = """\
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/Error"
"""
_HEADER: Final = """\
            {name}:
              description: {description}
              schema:
                type: string
"""
_PARAMETER: Final = """\
        - name: {name}
          in: header
          required: false
          description: {description}
          schema:
            type: string
"""
_KEY: Final = _PARAMETER.format(
    name="Idempotency-Key",
    description="A string of RFC 8941; requests with the same one add one animal",
) + _PARAMETER.format(
    name="Pettui-Store", description="The only store that may add it; any other responds with 412"
)
_PROMISE: Final = (
    "          headers:\n"
    + _HEADER.format(name="Idempotency-Key", description="The request's, if it had one")
    + _HEADER.format(name="Pettui-Store", description="Which store keeps the key, if there is one")
    + _HEADER.format(
        name="Idempotency-Replayed",
        description="?1 if an earlier request with the same key had added the animal",
    )
)
_INSERTED: Final = (
    # Before the operation that follows, since both of these stand at the end of one.
    (
        '        "401":\n          $ref: "#/components/responses/Unauthorized"\n    post:\n',
        '        "400":\n          description: Parameter out of its bounds\n' + _ERROR,
    ),
    ("      requestBody:\n", "      parameters:\n" + _KEY),
    (
        '        "401":\n          $ref: "#/components/responses/Unauthorized"\n  /pets/{petId}:\n',
        '        "409":\n          description: Another animal was added with the same key\n'
        + _ERROR
        + '        "412":\n          description: Another store than the one that is named\n'
        + _ERROR,
    ),
)
_ADDED: Final = '        "201":\n          description: Animal added\n'
_SERVERS: Final = "servers:\n  - url: ./v1\n    description: This service\n"


def served(interface: str) -> str:
    """Return the description of the interface with what this service adds.

    Raises:
        ValueError: it is not the description that this module knows.
    """
    head, _, rest = interface.partition("servers:\n")
    _, security, rest = rest.partition("security:\n")
    text = f"{head}{_SERVERS}{security}{rest}"
    for before, inserted in _INSERTED:
        text = _replaced(text, before, inserted + before)
    return _replaced(text, _ADDED, _ADDED + _PROMISE)


def _replaced(text: str, old: str, new: str) -> str:
    if text.count(old) != 1:
        raise ValueError(f"the interface's description has changed at {old!r}")
    return text.replace(old, new)


DESCRIPTION: Final = served(Path(__file__).with_name("openapi.yaml").read_text("utf-8"))
"""In OpenAPI, made once: whoever asks for it has no key."""
