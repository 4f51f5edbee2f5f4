"""Every op and every public function says what it does, and its example is true."""

from __future__ import annotations

import doctest
import inspect

import pytest

import tapeviz as tf
import tapeviz.ops
from tapeviz.engine.declaration import registry
from tapeviz.engine.op_definition import function_of
from tapeviz.namespaces.lazy import Namespace

NAMESPACES = {
    "tf": tf, "tf.math": tf.math, "tf.nn": tf.nn, "tf.linalg": tf.linalg, "tf.random": tf.random,
    "tf.signal": tf.signal, "tf.image": tf.image, "tf.nn.experimental": tf.nn.experimental,
    "tf.debugging": tf.debugging, "tf.nest": tf.nest, "tf.bitwise": tf.bitwise, "tf.dtypes": tf.dtypes,
    "tf.math.special": tf.math.special, "tf.config": tf.config, "tf.config.experimental": tf.config.experimental,
    "tf.experimental.dlpack": tf.experimental.dlpack,
}  # fmt: skip
FUNCTIONS = {
    f"{space}.{name}": function
    for space, module in NAMESPACES.items()
    for name, (home, _) in Namespace(module.__name__).homes.items()
    if home.startswith(("tapeviz.engine", "tapeviz.ops")) and inspect.isfunction(function := getattr(module, name))
}


@pytest.mark.parametrize("name", registry)
def test_an_op_is_explained(name):
    op = registry[name]
    assert op.doc.endswith(".")
    assert op.formula
    assert len(op.vjp_formula) == len(op.vjp)
    assert all(op.vjp_formula)
    assert op.tf_name[0].isupper()
    assert op.doc in function_of(op).__doc__


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_functions_example_is_true(name):
    function = FUNCTIONS[name]
    assert function.__doc__, "no docstring"
    examples = doctest.DocTestParser().get_doctest(function.__doc__, {}, name, None, 0)
    assert examples.examples, "no example"
    failures = []
    runner = doctest.DocTestRunner()
    runner.run(examples, out=failures.append)
    assert not runner.failures, "".join(failures)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_takes_a_name_or_has_none_in_tensorflow(name):
    without = {
        "tf.image.adjust_brightness", "tf.image.random_brightness", "tf.image.random_contrast",
        "tf.image.random_hue", "tf.image.random_saturation",
        "tf.image.random_flip_left_right", "tf.image.random_flip_up_down", "tf.image.adjust_gamma",
        "tf.image.image_gradients", "tf.executing_eagerly",
        "tf.image.resize_with_crop_or_pad", "tf.image.resize_with_pad", "tf.get_logger",
        "tf.make_ndarray", "tf.make_tensor_proto", "tf.image.sobel_edges",
        "tf.image.adjust_contrast", "tf.image.central_crop",
        "tf.image.crop_to_bounding_box", "tf.image.flip_left_right", "tf.image.flip_up_down",
        "tf.image.pad_to_bounding_box", "tf.image.per_image_standardization", "tf.custom_gradient",
        "tf.as_dtype", "tf.dtypes.as_dtype", "tf.random.set_seed", "tf.nn.silu", "tf.nn.swish",
        "tf.nest.assert_same_structure", "tf.nest.flatten", "tf.nest.is_nested", "tf.nest.map_structure",
        "tf.nest.pack_sequence_as", "tf.debugging.assert_proper_iterable",
        "tf.debugging.assert_same_float_dtype", "tf.debugging.is_numeric_tensor", "tf.is_tensor", "tf.meshgrid",
        "tf.einsum", "tf.linalg.einsum", "tf.broadcast_dynamic_shape", "tf.broadcast_static_shape",
        "tf.grad_pass_through", "tf.get_static_value", "tf.print", "tf.vectorized_map",
        "tf.control_dependencies", "tf.init_scope", "tf.no_gradient", "tf.recompute_grad", "tf.group",
        "tf.random.create_rng_state", "tf.random.get_global_generator", "tf.random.set_global_generator",
        "tf.random.fold_in", "tf.random.split", "tf.nn.compute_average_loss", "tf.nn.scale_regularization_loss",
        "tf.register_tensor_conversion_function",
        *(f"tf.image.stateless_random_{what}" for what in ("brightness", "contrast", "hue", "saturation")),
        "tf.image.stateless_random_flip_left_right", "tf.image.stateless_random_flip_up_down",
        "tf.debugging.enable_check_numerics",
        "tf.debugging.disable_check_numerics", "tf.debugging.disable_traceback_filtering",
        "tf.debugging.enable_traceback_filtering", "tf.debugging.get_log_device_placement",
        "tf.debugging.is_traceback_filtering_enabled", "tf.debugging.set_log_device_placement",
    }  # fmt: skip
    nameless = name in without or name.startswith(("tf.config.", "tf.experimental.dlpack."))
    assert ("name" in inspect.signature(FUNCTIONS[name]).parameters) is not nameless
