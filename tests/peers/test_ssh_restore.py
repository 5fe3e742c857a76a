"""The store is restored to an earlier state, and what users over SSH added since is sent again."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from pettui.service.stores.sqlite_files import copy_database
from tests.cli.conftest import finished
from tests.peers.ssh_shop import Shop, add
from tests.peers.terminal import ENTER, PROGRAM, Terminal


def reconciled(shop: Shop, since: str) -> list[tuple[str, str]]:
    """Return what becomes of the animals of all users, by the command."""
    words = ("outbox", "reconcile", "--profile=shop", "--users", "--json", f"--since={since}")
    ended = finished([PROGRAM, *words], shop.environment)
    assert ended.returncode == 0, ended.stderr
    rows = [json.loads(line) for line in ended.stdout.splitlines()]
    return [(row["name"], row["became"]) for row in rows]


def test_what_users_added_since_the_backup_is_there_again_once(shop: Shop) -> None:
    server = shop.serve()

    def session(name: str) -> Terminal:
        terminal = server.log_in(shop.key)
        add(terminal, name)
        terminal.wait_until(lambda: f" {name} " in terminal.text and "◌" not in terminal.text, name)
        return terminal

    session("Early").kill(9)
    server.wait_for_event("end")
    copy_database(shop.home / "pets.db", shop.home / "copy.db")
    since = datetime.now(UTC).isoformat()
    gone, inside = session("Castor"), session("Pollux")
    gone.kill(9)
    server.wait_for_event("end", 2)
    assert shop.names == {"Early": 1, "Castor": 1, "Pollux": 1}

    assert shop.service.stop() == 0
    for path in shop.home.glob("pets.db*"):
        path.unlink()
    (shop.home / "copy.db").rename(shop.home / "pets.db")
    shop.start_service()
    assert shop.names == {"Early": 1}
    assert sorted(reconciled(shop, since)) == [("Castor", "added"), ("Pollux", "added")]
    assert shop.names == {"Early": 1, "Castor": 1, "Pollux": 1}
    assert sorted(reconciled(shop, since)) == [("Castor", "there"), ("Pollux", "there")]
    inside.press("Rex", ENTER)  # in the form, which is open
    inside.wait_for("✔ 4 Rex")
    assert shop.names == {"Early": 1, "Castor": 1, "Pollux": 1, "Rex": 1}
