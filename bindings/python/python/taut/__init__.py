"""Cloth, ropes and bodies: particles joined by sticks, relaxed fast, with the same bits on every machine."""

from ._taut import Outcome, TautError, World, scenes

__all__ = ["Outcome", "TautError", "World", "scenes"]


def _unpickled(constructor, arguments, keywords, state):
    """A pickled world."""
    world = getattr(World, constructor)(*arguments, **keywords)
    snapshot, wind, tear_factor = state
    if wind is not None:
        world.set_wind(*wind)
    if tear_factor is not None:
        world.set_tear_factor(tear_factor)
    world.restore(snapshot)
    return world
