"""Vectors that lie as those of products do, for sizes of which no catalogue is at hand.

Products are of kinds (a few hundred to each shop), and of groups within a kind; what tells them
apart lies in few directions of the many (64 here). So a vector is a kind's place, a group's
offset and its own, all in a plane of 64 dimensions turned into the full space, and a little noise
in all of them. Uniform noise would be no test: there, everything is equally far from everything.

A question's vector is that of some product, moved by as much as products of a group differ.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.encoder import Vectors

DIMENSION = 768
"""Of the default encoder."""
_PLANE = 64
_GROUP, _OWN, _NOISE = 0.8, 0.8, 0.02
_SLICE = 50_000


@dataclass(frozen=True, slots=True)
class Made:
    """`products`, float32 [n, d], and `questions`, float32 [q, d], of unit length."""

    products: Vectors
    questions: Vectors


def made(size: int, questions: int, dimension: int = DIMENSION, seed: int = 1) -> Made:
    """The same vectors for the same numbers."""
    draw = np.random.default_rng(seed)
    kinds, groups = max(4, min(400, size // 50)), max(16, size // 25)
    turn = np.linalg.qr(draw.normal(size=(dimension, _PLANE)))[0].T.astype(np.float32)
    kind = _normal(draw, kinds, _PLANE)
    centre = kind[draw.integers(kinds, size=groups)] + _GROUP * _normal(draw, groups, _PLANE)
    products = np.empty((size, dimension), dtype=np.float32)
    for at in range(0, size, _SLICE):
        count = min(_SLICE, size - at)
        own = centre[draw.integers(groups, size=count)] + _OWN * _normal(draw, count, _PLANE)
        products[at : at + count] = _placed(draw, own, turn)
    asked = (
        products[draw.integers(size, size=questions)]
        @ turn.T
        * np.sqrt(_PLANE * (1 + _GROUP**2 + _OWN**2))
    )
    moved = asked.astype(np.float32) + _OWN * _normal(draw, questions, _PLANE)
    return Made(products, _placed(draw, moved, turn))


def _placed(draw: np.random.Generator, plane: Vectors, turn: Vectors) -> Vectors:
    """Rows of the plane in the full space, with noise, at unit length."""
    noise = _NOISE * _normal(draw, len(plane), turn.shape[1])
    rows = plane @ turn + noise * np.float32(np.sqrt(_PLANE))
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _normal(draw: np.random.Generator, rows: int, dimension: int) -> Vectors:
    return draw.standard_normal((rows, dimension), dtype=np.float32)
