"""The training accuracy is nearly 1 and the validation accuracy 0 from the first epoch on.

The rows are sorted by their class, and `validation_split` takes the last fifth: all of the last class.

Kind: data
Source: https://github.com/keras-team/keras/issues/8346
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(0)
CLASSES, EACH = 5, 20


def read_folders():
    rng = np.random.RandomState(0)
    images, labels = [], []
    for label in range(CLASSES):
        pattern = rng.rand(6, 6, 1)
        for _ in range(EACH):
            images.append(pattern + 0.1 * rng.randn(6, 6, 1))
            labels.append(label)
    return np.array(images, "float32"), np.array(labels)


images, labels = read_folders()
targets = tf.keras.utils.to_categorical(labels, CLASSES)

model = tf.keras.Sequential()
model.add(tf.keras.layers.Conv2D(8, 3, activation="relu", input_shape=(6, 6, 1)))
model.add(tf.keras.layers.Flatten())
model.add(tf.keras.layers.Dense(CLASSES, activation="softmax"))
model.compile(loss="categorical_crossentropy", optimizer=tf.keras.optimizers.Adam(0.02), metrics=["accuracy"])
history = model.fit(
    images,
    targets,
    batch_size=16,
    epochs=6,
    validation_split=0.2,
    shuffle=True,
    verbose=0,  # fault
)
print("accuracy", history.history["accuracy"])
print("val_accuracy", history.history["val_accuracy"])
