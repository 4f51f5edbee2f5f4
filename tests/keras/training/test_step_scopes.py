"""The graph of a step of `fit`: everything that is no input stands in the scope of what it belongs to."""

import numpy as np

import tapeviz as tf

layers = tf.keras.layers


def test_each_node_of_a_training_step_stands_under_a_layer_a_loss_a_metric_or_the_optimizer():
    model = tf.keras.Sequential([layers.Dense(4, activation="relu"), layers.Dense(1)], name="net")
    model.compile(tf.keras.optimizers.Adam(name="adam"), loss="mse", metrics=["mae"])
    x, y = np.ones((8, 3), np.float32), np.ones((8, 1), np.float32)
    with tf.record() as recorded:
        model.fit(x, y, batch_size=4, epochs=1, verbose=0)
    nodes, graphs = recorded.recording.nodes, recorded.recording.graphs
    (step,) = [row for row, name in enumerate(graphs.name) if name == "train_step"]
    names = [str(name) for name, of in zip(nodes.name, nodes.graph, strict=True) if of == graphs.id[step]]
    scopes = {name.split("/")[0] for name in names if "/" in name}
    assert scopes == {"net", "mean_squared_error", "loss", "mae", "gradient_tape", "adam"}
    assert sorted(name for name in names if "/" not in name) == ["x", "y"]
