"""The confidence of the detector's empty cells never falls below one half.

The head's outputs have gone through a sigmoid when the loss, which wants logits, applies another.

Kind: softmax
Source: https://github.com/hunglc007/tensorflow-yolov4-tflite/issues/157
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(22)
rng = np.random.default_rng(22)


def decode_train(raw):
    xy, wh, conf = tf.split(raw, [2, 2, 1], axis=-1)
    return tf.concat([tf.sigmoid(xy), tf.exp(wh), tf.sigmoid(conf)], axis=-1)  # fault


def compute_loss(pred, label):
    box_loss = tf.reduce_mean(label[..., 4:] * tf.square(pred[..., :4] - label[..., :4]))
    conf_loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=label[..., 4:], logits=pred[..., 4:])  # fault
    return box_loss, tf.reduce_mean(conf_loss)


backbone = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(8, 3, padding="same", activation="relu"),
        tf.keras.layers.Conv2D(5, 1),
    ]
)
images = rng.random((8, 4, 4, 3)).astype("float32") * 0.2
label = np.zeros((8, 4, 4, 5), "float32")
for i in range(8):
    row, column = rng.integers(0, 4, 2)
    images[i, row, column] += 2
    label[i, row, column] = [0.5, 0.5, 1.0, 1.0, 1.0]
optimizer = tf.keras.optimizers.Adam(0.03)

for step in range(40):
    with tf.GradientTape() as tape:
        pred = decode_train(backbone(images))
        box_loss, conf_loss = compute_loss(pred, label)
        total = box_loss + conf_loss
    gradients = tape.gradient(total, backbone.trainable_variables)
    optimizer.apply_gradients(zip(gradients, backbone.trainable_variables))
    if step % 10 == 0:
        print(step, "box", float(box_loss), "confidence", float(conf_loss))
print("lowest confidence by the loss", float(tf.reduce_min(tf.sigmoid(pred[..., 4]))))
