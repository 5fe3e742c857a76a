"""How long a start takes on a service 300 ms away: to the first animals, with and without a last list.

::

    .venv/bin/python tests/benchmarks/bench_last_list.py [--runs N] [--here]

Both are measured beside a bare Textual app with a table of a hundred rows: in one run, in turns, as
medians. The service is ``pettui serve``; a proxy on loopback delays every byte by 150 ms each way.
A compiled wheel is installed and measured; with ``--here``, what is installed beside the
interpreter that runs this.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
import threading
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.bench_start import (
    BARE_APP,
    EXTRAS,
    FIRST_ROW,
    build_wheel,
    environment_of,
    in_turns,
    installed,
    print_line,
    until_shown,
)
from tests.service.running_service import KEY, running_service

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ONE_WAY = 0.15  # seconds
ANIMALS = 100
NEWEST = b"Bartholomew"
LISTS = ".local/state/pettui/lists/*.json"


async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    loop = asyncio.get_running_loop()
    last = loop.time()
    with suppress(ConnectionError, asyncio.CancelledError):
        while data := await reader.read(65536):
            last = max(last, loop.time() + ONE_WAY)
            loop.call_at(last, writer.write, data)
        loop.call_at(max(last, loop.time() + ONE_WAY), writer.close)


@contextmanager
def delaying_proxy(port: int) -> Iterator[int]:
    """Run a proxy for a port in a thread; yield the proxy's port."""
    loop = asyncio.new_event_loop()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", port)
        with suppress(asyncio.CancelledError):
            await asyncio.gather(forward(reader, back), forward(there, writer))

    server = loop.run_until_complete(asyncio.start_server(connected, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(hang_up(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def hang_up() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def fill(base_url: str) -> None:
    """Add the animals; the name of the newest appears nowhere else on the screen."""
    names = [f"Animal {number}" for number in range(1, ANIMALS)] + [NEWEST.decode()]
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    for name in names:
        body = json.dumps({"name": name, "categoryId": 3, "status": "available"}).encode()
        request = urllib.request.Request(f"{base_url}/pets", body, headers)
        urllib.request.urlopen(request).close()


def report(programs: Path, directory: Path, runs: int) -> None:
    pettui, python = str(programs / "pettui"), str(programs / "python")
    shop = directory / "shop"
    shop.mkdir()
    with running_service(shop) as service, delaying_proxy(service.address[1]) as far:
        fill(service.base_url)
        with_list = home_of(directory / "with", far, "")
        without = home_of(directory / "without", far, "keep_list = false\n")
        options = ["--limit", str(ANIMALS)]
        while not [*Path(with_list["HOME"]).glob(LISTS)]:  # it is killed once it is drawn
            until_shown([pettui, *options], NEWEST, with_list)
        bare = [python, str(BARE_APP)]
        taken = in_turns(
            {
                "bare": lambda: until_shown(bare, FIRST_ROW, with_list),
                "with": lambda: until_shown([pettui, *options], NEWEST, with_list),
                "without": lambda: until_shown([pettui, *options], NEWEST, without),
            },
            runs,
        )
    print_line("bare Textual app, DataTable of 100 rows", taken["bare"], taken["bare"])
    print_line("300 ms away, with its last list", taken["with"], taken["bare"])
    print_line("300 ms away, without", taken["without"], taken["bare"])


def home_of(home: Path, port: int, configuration: str) -> Mapping[str, str]:
    """Return the variables of a user with a home and a configuration of their own."""
    home.mkdir()
    path = home / "config.toml"
    path.write_text(configuration)
    return {
        **environment_of(home),
        "PETTUI_CONFIG": str(path),
        "PETTUI_BASE_URL": f"http://127.0.0.1:{port}/v1",
        "PETTUI_API_KEY": KEY,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a start on a far service takes.")
    parser.add_argument("--runs", type=int, default=15, help="of each app (%(default)s)")
    parser.add_argument("--here", action="store_true", help="measure what is installed here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        if options.here:
            programs = Path(sys.executable).parent
        else:
            programs = installed(directory / "full", f"{build_wheel(directory)}{EXTRAS}")
        print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, {options.runs} runs")
        report(programs, directory, options.runs)
        shutil.rmtree(directory / "shop", ignore_errors=True)


if __name__ == "__main__":
    main()
