"""A service that is killed in the middle of a load has lost nothing of what it acknowledged."""

import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from itertools import count
from json import dumps, loads
from threading import Event

import pytest

from tests.service.running_service import AUTHORIZATION, running_service

pytestmark = pytest.mark.exhaustive

WRITERS = 16
KILLS = 4
ACKNOWLEDGED_BEFORE_A_KILL = 150
HEADERS = {**AUTHORIZATION, "Content-Type": "application/json"}


def load(service, numbers, acknowledged, enough):
    """Add animals over one connection until the service is gone; note each that is acknowledged."""
    with closing(HTTPConnection(*service.address, timeout=30)) as connection:
        try:
            for number in numbers:
                name = f"pet {number}"
                body = dumps({"name": name, "categoryId": number})
                connection.request("POST", "/v1/pets", body, HEADERS)
                answer = connection.getresponse()
                assert answer.status == 201
                acknowledged[loads(answer.read())["id"]] = name
                if len(acknowledged) >= ACKNOWLEDGED_BEFORE_A_KILL:
                    enough.set()
        except (OSError, HTTPException):
            return  # it was killed; what was not acknowledged may be there or not


def every_animal(service):
    found, path = {}, "/v1/pets?limit=100"
    with closing(HTTPConnection(*service.address, timeout=30)) as connection:
        while path:
            connection.request("GET", path, headers=AUTHORIZATION)
            answer = connection.getresponse()
            found |= {pet["id"]: pet["name"] for pet in loads(answer.read())}
            link = answer.getheader("link")
            path = link and link.partition("<")[2].partition(">")[0]
    return found


def test_kill_9_in_the_middle_of_a_load_loses_no_acknowledged_animal(tmp_path):
    numbers, known = count(1), {}
    for _ in range(KILLS):
        acknowledged, enough = {}, Event()
        with running_service(tmp_path) as service:
            assert known.items() <= every_animal(service).items()
            with ThreadPoolExecutor(WRITERS) as pool:
                for _ in range(WRITERS):
                    pool.submit(load, service, numbers, acknowledged, enough)
                assert enough.wait(60)
                service.process.send_signal(signal.SIGKILL)
            assert service.process.wait(10) == -signal.SIGKILL
        assert not acknowledged.keys() & known.keys()
        known |= acknowledged
    with running_service(tmp_path) as service:
        found = every_animal(service)
        assert known.items() <= found.items()
        assert len(known) >= KILLS * ACKNOWLEDGED_BEFORE_A_KILL
        assert service.stop() == 0
