"""In which order the rows of the inbox can stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from signoff.queue.records import Risk, StoredRequest

__all__ = ["Order", "Place", "following", "place_in"]

Order = Literal["arrival", "risk", "agent"]
"""What comes first: the oldest, the riskiest, or the agent whose name does. Ties go to the oldest."""

Place = tuple[bool, str | int, int]
"""Sorts rows: put aside, rank in the order, arrival."""

_RANKS = {Risk.HIGH: 0, Risk.MEDIUM: 1, Risk.LOW: 2}


def following(order: Order) -> Order:
    """The order after this one; after the last, the first."""
    orders: Sequence[Order] = get_args(Order)
    return orders[(orders.index(order) + 1) % len(orders)]


def place_in(order: Order, requests: Sequence[StoredRequest], arrival: Mapping[str, int], *, aside: bool) -> Place:
    """Where a row belongs.

    Args:
        order: What comes first.
        requests: What the row stands for, as far as it waits; at least one.
        arrival: Tells by their ids which came first.
        aside: Whether it was put aside.
    """
    first = min(requests, key=lambda request: arrival[request.id])
    rank: str | int = 0
    if order == "risk":
        rank = min(_RANKS[request.submission.risk] for request in requests)
    elif order == "agent":
        rank = first.asked_by.name
    return aside, rank, arrival[first.id]
