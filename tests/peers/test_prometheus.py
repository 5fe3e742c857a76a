"""What Prometheus makes of docs/deploy/alerts.yml, the metrics, and the page that deploying.md has."""

from __future__ import annotations

import re
import shutil
import ssl
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.certificates import make_certificate
from tests.cli.conftest import needs
from tests.peers.ssh_server import SshServer, write_key
from tests.peers.test_nginx import nginx
from tests.ports import reserved_port
from tests.service.running_service import running_service

if TYPE_CHECKING:
    from collections.abc import Callable


DOCS = Path(__file__).parents[2] / "docs"
ALERTS = DOCS / "deploy" / "alerts.yml"
NAMES = re.compile(r"\bpettui_[a-z_]+")


def promtool(*words: str, directory: Path, text: str = "") -> str:
    """Run promtool, which succeeds; return what it says."""
    program = needs("promtool", "prometheus, of which .ci/run takes it out")
    ended = subprocess.run(
        [program, *words], cwd=directory, input=text, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory with the rules and their tests."""
    for path in (ALERTS, Path(__file__).with_name("alerts_test.yml")):
        shutil.copy(path, tmp_path)
    return tmp_path


def test_each_of_the_six_rules_warns_of_what_it_says_and_of_nothing_else(directory: Path) -> None:
    assert "6 rules found" in promtool("check", "rules", "alerts.yml", directory=directory)
    promtool("test", "rules", "alerts_test.yml", directory=directory)


def test_the_documented_configuration_is_one(directory: Path) -> None:
    shown = re.findall(
        r"```yaml\n(rule_files.*?)```", (DOCS / "deploying.md").read_text(), re.DOTALL
    )
    (directory / "prometheus.yml").write_text(*shown)
    promtool("check", "config", "prometheus.yml", directory=directory)


def test_each_alert_has_its_part_of_the_runbook() -> None:
    headings = re.findall(r"^## (.+)$", (DOCS / "runbook.md").read_text(), re.MULTILINE)
    parts = re.findall(r"runbook: docs/runbook\.md#(\S+)", ALERTS.read_text())
    assert len(parts) == 6
    assert set(parts) == {heading.lower().replace(" ", "-") for heading in headings}


def test_all_series_of_the_rules_are_there_from_the_start_behind_the_documented_proxy(
    tmp_path: Path, home: Path, serve_ssh: Callable[..., SshServer]
) -> None:
    certificate, key = make_certificate(tmp_path / "tls")
    keys = home / "authorized_keys"
    write_key(home / "anna").write_public_key(keys)
    with reserved_port() as of_service, reserved_port() as of_ssh:
        server = serve_ssh(
            "--profile=embedded", "--workers=1", f"--authorized-keys={keys}",
            f"--metrics=127.0.0.1:{of_ssh}",
        )  # fmt: skip
        used = {
            "listen 9443 ssl": "listen 127.0.0.1:{port} ssl",
            "shop1.example": "localhost",
            "/etc/ssl/shop1.pem": str(certificate),
            "/etc/ssl/private/shop1.key": str(key),
            "127.0.0.1:9464": f"127.0.0.1:{of_service}",
            "127.0.0.1:9465": f"127.0.0.1:{of_ssh}",
            "allow 192.0.2.7;": "allow 127.0.0.1;",
        }
        before = f"events {{}}\nhttp {{ access_log off; client_body_temp_path {tmp_path}/b;\n{{shown}}}}\n"
        service = running_service(tmp_path, metrics=["127.0.0.1", of_service])
        with service, nginx(tmp_path, "deploying.md", before, used) as port:
            context = ssl.create_default_context(cafile=str(certificate))
            with httpx.Client(base_url=f"https://localhost:{port}", verify=context) as client:
                pages = [client.get(f"/{each}/metrics").text for each in ("service", "ssh")]
                health = client.get("/ssh/healthz")
                assert client.get("/metrics").status_code == 404
        assert server.stop() == 0
    assert (health.status_code, health.json()["status"]) == (200, "ok")
    there = set(NAMES.findall("".join(pages)))
    assert set(NAMES.findall(ALERTS.read_text())) <= there
    if shutil.which("promtool"):
        for page in pages:
            promtool("check", "metrics", directory=tmp_path, text=page)
