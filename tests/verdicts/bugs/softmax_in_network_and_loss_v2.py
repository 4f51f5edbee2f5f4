"""The recurrent classifier creeps: after all epochs the loss is hardly below the logarithm of the class count.

The network's function returns probabilities, which the cross entropy with logits takes as logits.

Kind: softmax
Source: https://github.com/nfmcclure/tensorflow_cookbook/issues/86
"""

import numpy as np

import tapeviz as tf

rng = np.random.RandomState(11)
NUM_CLASSES, EMBED, RNN = 4, 6, 10
tokens = rng.randint(0, 20, (64, 5))
y_output = (tokens[:, 0] % NUM_CLASSES).astype(np.int64)

params = {
    "embedding": tf.Variable(rng.uniform(-1, 1, (20, EMBED)).astype("float32")),
    "wx": tf.Variable(rng.normal(0, 0.4, (EMBED, RNN)).astype("float32")),
    "wh": tf.Variable(rng.normal(0, 0.3, (RNN, RNN)).astype("float32")),
    "weight": tf.Variable(rng.normal(0, 0.1, (RNN, NUM_CLASSES)).astype("float32")),
    "bias": tf.Variable(tf.zeros([NUM_CLASSES])),
}


def network(ids):
    state = tf.zeros([ids.shape[0], RNN])
    embedded = tf.nn.embedding_lookup(params["embedding"], ids)
    for t in reversed(range(ids.shape[1])):
        state = tf.tanh(tf.matmul(embedded[:, t], params["wx"]) + tf.matmul(state, params["wh"]))
    return tf.nn.softmax(tf.matmul(state, params["weight"]) + params["bias"])  # fault


opt = tf.keras.optimizers.SGD(0.1)
trainable = list(params.values())
for epoch in range(30):
    with tf.GradientTape() as tape:
        logits_out = network(tokens)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y_output, logits=logits_out)  # fault
        loss = tf.reduce_mean(losses)
    opt.apply_gradients(zip(tape.gradient(loss, trainable), trainable))
print("loss", float(loss), "log of classes", np.log(NUM_CLASSES))
