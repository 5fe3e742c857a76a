"""Certificates made by openssl."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


def make_certificate(
    directory: Path, *options: str, name: str = "localhost", key: str = "ec"
) -> tuple[Path, Path]:
    """Make a self-signed certificate for this machine; return the paths of it and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    directory.mkdir(parents=True, exist_ok=True)
    certificate, private_key = directory / "cert.pem", directory / "key.pem"
    curve = ["-pkeyopt", "ec_paramgen_curve:P-256"] if key == "ec" else []
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", key, *curve, "-subj", f"/CN={name}"),
            *("-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"),
            *("-keyout", str(private_key), "-out", str(certificate)),
            *(options or ("-nodes", "-days", "200")),
        ],
        check=True,
        capture_output=True,
    )
    return certificate, private_key
