"""Namespaces find their names on first use, and importing one imports nothing else."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import tapeviz as tf
from tapeviz.namespaces.lazy import Namespace
from tapeviz.namespaces.table import NAMESPACES

SPACES = (tf, tf.math, tf.nn, tf.linalg, tf.random)
TABLES = [name for name, table in NAMESPACES.items() if not isinstance(table, str)]
# What each namespace of tapeviz's is called under TensorFlow 1's.
OLD = [name for name in Namespace("tapeviz").modules if name not in Namespace("tapeviz.compat.v1").modules]


@pytest.mark.parametrize("space", TABLES)
def test_every_name_is_there(space):
    package, names = import_module(space), Namespace(space)
    assert set(names.listed) <= set(package.__all__) == set(dir(package))
    for name in names.listed:
        assert getattr(package, name) is not None


@pytest.mark.parametrize("space", NAMESPACES)
def test_each_is_a_package_that_the_one_around_it_offers(space):
    around, _, name = space.rpartition(".")
    assert getattr(import_module(space), "__all__", None)
    assert not around or name in {*Namespace(around).modules, *import_module(around).__all__}


@pytest.mark.parametrize("space", TABLES)
def test_each_dotted_name_imports(space):
    for name in Namespace(space).modules:
        assert import_module(f"{space}.{name}") is getattr(import_module(space), name)


def test_another_name_of_a_namespace_is_the_same_module():
    assert import_module("tapeviz.losses") is tf.keras.losses is tf.losses
    assert import_module("tapeviz.optimizers.schedules") is tf.keras.optimizers.schedules


def test_parts_of_namespaces_are_imported_by_name():
    from tapeviz.losses import MeanSquaredError
    from tapeviz.math.special import dawsn
    from tapeviz.nn.experimental import stateless_dropout

    assert (stateless_dropout, dawsn) == (tf.nn.experimental.stateless_dropout, tf.math.special.dawsn)
    assert MeanSquaredError is tf.keras.losses.MeanSquaredError


@pytest.mark.parametrize("name", sorted({"math", "nn", "keras", "test", "nest", "linalg"} & {*OLD}))
def test_tensorflow_1s_namespaces_are_imported_by_name(name):
    space = import_module(f"tapeviz.compat.v1.{name}")
    assert space is getattr(tf.compat.v1, name)
    assert import_module(f"tapeviz.{name}").__spec__.name == f"tapeviz.{name}"


def test_a_namespace_within_one_of_tensorflow_1s_is_imported_by_name():
    assert import_module("tapeviz.compat.v1.keras.layers") is tf.keras.layers
    assert import_module("tapeviz.compat.v1.math.special") is tf.compat.v1.math.special
    with pytest.raises(ModuleNotFoundError, match=r"tapeviz\.compat\.v1\.nothing"):
        import_module("tapeviz.compat.v1.nothing")


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.__name__)
def test_no_other_name_is_there(space):
    with pytest.raises(AttributeError, match=f"module {space.__name__!r} has no attribute 'nothing'"):
        _ = space.nothing


def test_a_function_is_the_same_wherever_it_is_found():
    assert tf.math.exp is tf.exp
    assert tf.math.mod is tf.math.floormod
    assert tf.nn.swish is tf.nn.silu
    assert tf.linalg.matmul is tf.matmul


def test_an_op_is_found_as_its_function():
    assert tf.exp.__name__ == "exp"
    assert tf.exp.__module__ == "tapeviz"


def test_importing_a_namespace_declares_no_op():
    code = "import sys, tapeviz.math, tapeviz.nn; print(any(name.startswith('tapeviz.ops') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
