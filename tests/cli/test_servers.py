"""What both servers read of their command lines."""

from __future__ import annotations

import pytest

from pettui.cli.servers import networks_of
from pettui.configuration.errors import ConfigurationError


@pytest.mark.parametrize("text", ["10.0.0.1/8", "10.0.0.0/33", "proxy.example"])
def test_a_trusted_proxy_that_is_no_network_is_refused_by_name(text: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        networks_of("--trusted-proxies", f"192.0.2.1, {text}")
    assert str(refused.value) == (
        f"--trusted-proxies '{text}': must be addresses or networks,"
        " such as 192.0.2.1 or 10.0.0.0/8"
    )
