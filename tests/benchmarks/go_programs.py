"""The programs in Go that ``bench_ssh`` runs, built with Debian's libraries alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

LIBRARIES = Path("/usr/share/gocode/src")  # Debian's
SSH = "golang.org/x/crypto/ssh"

# Debian's SSH library announces room for the bytes of every read, a packet each that the server has
# to read: it would cost us as much as the key. OpenSSH's client does so for half a window at once.
EACH_READ = """\
	c.myWindow += uint32(n)
	c.windowMu.Unlock()
	return c.sendMessage(windowAdjustMsg{
		AdditionalBytes: uint32(n),
	})
"""
HALF_A_WINDOW = """\
	adjustment := channelWindowSize - c.myWindow
	if adjustment < channelWindowSize/2 {
		c.windowMu.Unlock()
		return nil
	}
	c.myWindow += adjustment
	c.windowMu.Unlock()
	return c.sendMessage(windowAdjustMsg{
		AdditionalBytes: adjustment,
	})
"""


def why_not_built(library: str, packages: str) -> str:
    """Return what is missing for a program that imports a library, "" where nothing is."""
    if shutil.which("go") and (LIBRARIES / library).exists():
        return ""
    return f"not installed (Debian: {packages})"


def built(name: str, home: Path, *, as_openssh: bool = False) -> Path:
    """Return the program whose source stands in the folder of that name, built once in ``home``.

    With ``as_openssh`` it announces room for data as OpenSSH's client does.
    """
    program = home / name
    if not program.exists():
        source = Path(__file__).with_name(name) / "main.go"
        go = {"GOPATH": str(LIBRARIES.parent), "GO111MODULE": "off", "GOCACHE": str(home / "go")}
        options = [f"-overlay={_overlay(home)}"] if as_openssh else []
        words = ["go", "build", *options, "-o", str(program), str(source)]
        subprocess.run(words, check=True, env={**os.environ, **go})
    return program


def _overlay(home: Path) -> Path:
    """Return the file that tells Go's compiler which source to take instead of the library's."""
    original = LIBRARIES / SSH / "channel.go"
    changed, overlay = home / "channel.go", home / "overlay.json"
    changed.write_text(original.read_text().replace(EACH_READ, HALF_A_WINDOW))
    overlay.write_text(json.dumps({"Replace": {str(original): str(changed)}}))
    return overlay
