"""Runs a saved model in a process that has none of its code: python -m tests.saved_model.away FOLDER NUMBER..."""

import sys

import tapeviz as tf

if __name__ == "__main__":
    loaded = tf.saved_model.load(sys.argv[1])
    print(loaded(tf.constant([list(map(float, sys.argv[2:]))])).numpy().tolist())
