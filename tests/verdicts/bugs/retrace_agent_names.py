"""Memory grows through the whole run of the multi-agent game, until the process is killed.

The policy is given a new Python object in each step, and keeps a trace for each of them.

Kind: retrace
Source: https://github.com/instadeepai/Mava/issues/346
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(27)
rng = np.random.default_rng(27)
traces = []


class StepInfo:
    def __init__(self, agent, step):
        self.agent, self.step = agent, step


class Executor:
    def __init__(self, agents):
        self.networks = {
            agent: tf.keras.Sequential([tf.keras.layers.Dense(6, activation="relu"), tf.keras.layers.Dense(2)])
            for agent in agents
        }
        for network in self.networks.values():
            network.build((None, 4))

    @tf.function
    def _policy(self, info, observation):
        traces.append(info)
        logits = self.networks[info.agent](observation[None])
        return tf.argmax(logits, axis=1)[0]

    def select_actions(self, step, observations):
        return {
            agent: self._policy(StepInfo(agent, step), tf.constant(observation))  # fault
            for agent, observation in observations.items()
        }


agents = ["left", "right"]
executor = Executor(agents)
for step in range(8):
    observations = {agent: rng.normal(size=4).astype("float32") for agent in agents}
    actions = executor.select_actions(step, observations)
print("traces", len(traces), {agent: int(action) for agent, action in actions.items()})
