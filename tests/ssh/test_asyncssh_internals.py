"""The private names of asyncssh: all are listed in one module, with their use."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from typing import TYPE_CHECKING

import asyncssh
import pytest

from pettui.ssh import asyncssh_internals
from pettui.ssh.asyncssh_internals import SessionChannel
from pettui.ssh.connection import Connection
from pettui.ssh.session import SshSession

if TYPE_CHECKING:
    from collections.abc import Iterable

DOCUMENTED = set(re.findall(r"``(?:SSH\w+\.)?(_\w+)``", asyncssh_internals.__doc__ or ""))


def private_names(of: object) -> set[str]:
    """Return the private attributes and methods that a module or class has or uses."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(of)))  # type: ignore[arg-type]
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} | {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    return {name for name in names if re.match(r"_[^_]", name)}


def names_of_asyncssh(classes: Iterable[type]) -> set[str]:
    """Return the private names that asyncssh's classes define."""
    theirs = {
        base for each in classes for base in each.__mro__ if base.__module__.startswith("asyncssh")
    }
    return set().union(*map(private_names, theirs))


def test_each_private_name_of_asyncssh_is_listed_in_one_module_and_exists() -> None:
    """This fails if asyncssh renames one, or if another one is used, even by accident."""
    theirs = names_of_asyncssh([SessionChannel, asyncssh.SSHServerConnection])
    assert private_names(asyncssh_internals) & theirs == DOCUMENTED


@pytest.mark.parametrize("ours", [Connection, SshSession], ids=lambda ours: ours.__name__)
def test_no_subclass_overrides_a_private_name_of_asyncssh_by_accident(ours: type) -> None:
    assert not private_names(ours) & names_of_asyncssh([ours])
