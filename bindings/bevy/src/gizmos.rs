//! Sticks, pins and colliders as lines, for debugging.
