"""Every op that computes runs from a saved model, and those that the export knows in onnxruntime, as it does here."""

import numpy as np
import onnxruntime
import pytest

import tapeviz as tf
import tapeviz.ops  # offers them all
from tapeviz.engine.declaration import registry
from tapeviz.errors import UnimplementedError

OPS = [name for name, op in sorted(registry.items()) if not op.effects]
# What a function of Python does at each run cannot be saved.
PYTHON = {"custom_gradient"}
ROUGHLY = {"float16": 4e-3, "float32": 1e-4, "float64": 1e-6}


def samples(name):
    """The samples of an op that it takes: arrays and attributes."""
    op = registry[name]
    found = []
    for inputs, attrs in op.samples(np.random.default_rng(0)):
        arrays = [np.asarray(array) for array in inputs]
        try:
            op.run(*map(tf.constant, arrays), **attrs)
        except Exception:  # noqa: BLE001 - a sample for what is refused
            continue
        found.append((arrays, attrs))
    return found[:3]


def function_of(name, arrays, attrs):
    specs = [tf.TensorSpec(array.shape, array.dtype) for array in arrays]
    return tf.function(lambda *given: registry[name].run(*given, **attrs), input_signature=specs, autograph=False)


@pytest.mark.parametrize("name", [name for name in OPS if name not in PYTHON])
def test_saved_and_loaded(tmp_path, name):
    module = tf.Module()
    cases = samples(name)
    assert cases
    for number, (arrays, attrs) in enumerate(cases):
        setattr(module, f"f{number}", function_of(name, arrays, attrs))
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for number, (arrays, _) in enumerate(cases):
        tensors = list(map(tf.constant, arrays))
        expected = tf.nest.flatten(getattr(module, f"f{number}")(*tensors))
        found = tf.nest.flatten(getattr(loaded, f"f{number}")(*tensors))
        for mine, theirs in zip(expected, found, strict=True):
            assert mine.dtype == theirs.dtype
            np.testing.assert_array_equal(mine.numpy(), theirs.numpy())


# What onnxruntime has no kernel for on a CPU, in the words of its errors.
NO_KERNEL = ("NOT_IMPLEMENTED", "is invalid", "type inference", "Type Error", "NOTIMPLEMENTED")


def ran(model, arrays):
    """What onnxruntime gives; None where it has no kernel for these dtypes."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    except Exception as error:
        if any(words in str(error) for words in NO_KERNEL):
            return None
        raise
    return session.run(None, {given.name: array for given, array in zip(session.get_inputs(), arrays, strict=True)})


def test_exported_ops_agree():
    compared, unknown = {}, set()
    for name in OPS:
        for given, attrs in samples(name):
            if any(array.dtype.kind in "cOV" for array in given):
                continue
            # onnxruntime has few kernels for float64.
            arrays = [array.astype(np.float32) if array.dtype == np.float64 else array for array in given]
            function = function_of(name, arrays, attrs)
            try:
                model = tf.onnx.export(function)
            except UnimplementedError:
                unknown.add(name)
                continue
            found = ran(model, arrays)
            if found is None:
                continue
            expected = tf.nest.flatten(function(*map(tf.constant, arrays)))
            for mine, theirs in zip(expected, found, strict=True):
                host = mine.numpy()
                assert theirs.shape == host.shape, name
                assert theirs.dtype == host.dtype, name
                near = ROUGHLY.get(host.dtype.name, 0.0)
                np.testing.assert_allclose(theirs, host, rtol=near, atol=near, err_msg=name)
            compared[name] = compared.get(name, 0) + 1
    assert len(compared) > 125
    assert compared.keys() & unknown <= {"gather", "mirror_pad"}
