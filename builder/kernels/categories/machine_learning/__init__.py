"""machine_learning: forward passes, gradients by hand, optimisers, sampling, clustering, reinforcement learning."""

from __future__ import annotations

from ...families import tidy_one_of
from .clustering import clusters, similarity
from .layers import batch_norm, convolution, linear, pooling
from .losses import activation_backward, loss
from .noise import dropout, quantise
from .optimisers import optimiser
from .recurrent import recurrent
from .reinforcement import advantages, policy_loss, q_learning, value_iteration
from .rows import normalise, selection, softmax
from .sequence import attention, embedding, rotary

build = tidy_one_of(
    "machine_learning",
    softmax, normalise, selection, similarity, optimiser, loss, activation_backward, dropout, quantise, attention,
    rotary, embedding, recurrent, linear, convolution, pooling, batch_norm, clusters, advantages, policy_loss,
    value_iteration, q_learning,
)  # fmt: skip
