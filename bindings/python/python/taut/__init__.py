"""Cloth, ropes and bodies by distance constraints (position-based dynamics), with the same bits on every machine."""

from ._taut import Outcome, TautError, World, scenes

__all__ = ["Outcome", "TautError", "World", "scenes"]


def _unpickled(constructor, arguments, keywords, state):
    """Makes a world from the parts of its pickle.

    `state` is the snapshot, and the arguments of the last call of `set_wind` or None: snapshots have no wind.
    """
    world = getattr(World, constructor)(*arguments, **keywords)
    snapshot, wind = state
    if wind is not None:
        world.set_wind(*wind)
    world.restore(snapshot)
    return world
