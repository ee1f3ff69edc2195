"""The type stubs have the names and arguments of the module, and public items have docstrings."""

import ast
import inspect
from pathlib import Path

import pytest

import taut

STUBS = ast.parse((Path(taut.__file__).parent / "__init__.pyi").read_text())
CLASSES = {node.name: node for node in STUBS.body if isinstance(node, ast.ClassDef)}


def public_names(names):
    return {name for name in names if not name.startswith("_")}


def test_the_stubs_have_all_public_names_and_no_others():
    functions = {node.name for node in STUBS.body if isinstance(node, ast.FunctionDef)}
    assert functions | CLASSES.keys() == set(taut.__all__)


@pytest.mark.parametrize("name", ["World", "Outcome"])
def test_the_stubs_have_the_members_and_their_arguments(name):
    real = getattr(taut, name)
    stubs = {node.name: node for node in CLASSES[name].body}
    assert public_names(stubs) == public_names(vars(real))
    for member in public_names(stubs):
        value = inspect.getattr_static(real, member)
        if inspect.isgetsetdescriptor(value):
            continue
        names = [argument.arg for argument in stubs[member].args.args + stubs[member].args.kwonlyargs]
        assert names == list(inspect.signature(getattr(real, member)).parameters), member


def test_everything_in_a_world_is_documented():
    members = [getattr(taut.World, name) for name in public_names(vars(taut.World))]
    assert all(member.__doc__ for member in [taut.World, taut.Outcome, taut.scenes, *members])
