"""NaN that is only asked about or stored in a session, and a model that was called outside of the tape."""

from __future__ import annotations

import pytest

from tests.verdicts.cells import findings

ASKED = {
    "named": """
        p = tf.nn.relu(x) / tf.nn.relu(x)  # here
        print(tf.reduce_any(tf.math.is_nan(p)).numpy())
        """,
}

NOT_GONE_ON_WITH = {
    "masked": """
        p = tf.math.log(x)
        q = tf.where(tf.math.is_nan(p), 0.0, p)
        print(tf.reduce_sum(q).numpy())
        """,
    "of which the least is asked": """
        p = tf.math.log(tf.nn.relu(x))
        print(tf.argmax(p, axis=1).numpy())
        """,
}


@pytest.mark.parametrize("name", ASKED)
def test_nan_that_is_only_asked_about_is_a_result(name: str):
    assert [line.endswith("# here") for _, line in findings(ASKED[name], "nonfinite")] == [True]


@pytest.mark.parametrize("name", NOT_GONE_ON_WITH)
def test_what_is_masked_or_only_compared_is_none(name: str):
    assert findings(NOT_GONE_ON_WITH[name], "nonfinite") == []


def test_a_model_called_before_the_tape_is_one_finding_on_its_call():
    body = """
        model = tf.keras.Sequential([layers.Dense(3), layers.Dense(1)])
        out = model(x)  # here
        with tf.GradientTape() as tape:
            loss = mse(out, y)
        tape.gradient(loss, model.trainable_variables)
        """
    [(found, line)] = findings(body, "gradient_none")
    assert line.endswith("# here")
    assert len(found.evidence["sources"]) == 4
