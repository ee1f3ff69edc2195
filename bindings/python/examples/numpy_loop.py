"""Compares the speed of a hanging sheet in Taut, in NumPy and, if it is installed, in Numba: the same
particles, sticks and numbers of substeps and iterations.

The NumPy version relaxes groups of sticks, each of sticks that share no particle; the Numba version relaxes one
stick after the other. Both compute lengths with the exact square root; Taut uses its default formula, halley. The
results differ a little, because the orders of the sticks and the formulas differ, and only Taut uses tethers. The
versions alternate frame by frame; times are medians of frames.
"""

import statistics
import time

import numpy as np

import taut

try:
    from numba import njit
except ImportError:
    njit = None

SIDE, FRAMES, SUBSTEPS, ITERATIONS = 64, 40, 1, 8


class NumPySheet:
    def __init__(self, world):
        self.x = world.positions()  # m
        self.previous = self.x.copy()  # positions before the last substep
        # Inverse masses, 1/kg: a column.
        self.w = np.array([world.inverse_mass(i) for i in range(world.particles)], np.float32)[:, None]
        # Each stick joins the first group that has neither of its ends yet.
        groups, used = [], []
        for a, b in world.lines().tolist():
            group = next((g for g, ends in enumerate(used) if a not in ends and b not in ends), len(groups))
            if group == len(groups):
                groups.append([])
                used.append(set())
            groups[group].append((a, b))
            used[group] |= {a, b}
        # For each group: both ends of its sticks, rest lengths, and the fractions of the correction at each end.
        self.groups = []
        for ends in groups:
            a, b = np.array(ends).T
            rest = np.linalg.norm(self.x[b] - self.x[a], axis=1, keepdims=True)
            # The maximum avoids a division of 0 by 0 between two pinned particles.
            total = np.maximum(self.w[a] + self.w[b], 1e-30)
            self.groups.append((a, b, rest, self.w[a] / total, self.w[b] / total))

    def step(self, dt=1 / 60, gravity=(0, -9.81, 0)):
        h = dt / SUBSTEPS
        for _ in range(SUBSTEPS):
            moved = 2 * self.x - self.previous + np.float32(h * h) * np.array(gravity, np.float32)
            self.previous, self.x = self.x, np.where(self.w > 0, moved, self.x)
            for _ in range(ITERATIONS):
                for a, b, rest, fraction_a, fraction_b in self.groups:
                    delta = self.x[b] - self.x[a]
                    length = np.linalg.norm(delta, axis=1, keepdims=True)
                    correction = delta * (1 - rest / length)
                    self.x[a] += fraction_a * correction
                    self.x[b] -= fraction_b * correction


class NumbaSheet:
    def __init__(self, sheet):
        self.x, self.previous = sheet.x.copy(), sheet.x.copy()
        self.w = sheet.w[:, 0].copy()
        self.ends = np.concatenate([np.stack([a, b], 1) for a, b, *_ in sheet.groups])
        self.rest = np.concatenate([rest[:, 0] for _, _, rest, *_ in sheet.groups])
        self.compiled = njit(loop)
        self.step(0)  # compiles the loop; runs no substep

    def step(self, substeps=SUBSTEPS):
        h2_gravity = np.float32(-9.81 * (1 / 60 / SUBSTEPS) ** 2)
        self.compiled(self.x, self.previous, self.w, self.ends, self.rest, h2_gravity, substeps)


def loop(x, previous, w, ends, rest, h2_gravity, substeps):
    # w: inverse masses, 1/kg. rest: rest lengths, m. h2_gravity: the displacement by gravity in a substep, m.
    for _ in range(substeps):
        for i in range(len(x)):
            if w[i] > 0:
                for axis in range(3):
                    moved = x[i, axis] + (x[i, axis] - previous[i, axis])
                    previous[i, axis] = x[i, axis]
                    x[i, axis] = moved
                x[i, 1] += h2_gravity
        for _ in range(ITERATIONS):
            for s in range(len(ends)):
                a, b = ends[s]
                total = w[a] + w[b]
                if total > 0:
                    dx, dy, dz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
                    length = np.sqrt(dx * dx + dy * dy + dz * dz)
                    multiplier = (1 - rest[s] / length) / total
                    factor_a, factor_b = w[a] * multiplier, w[b] * multiplier
                    x[a, 0] += factor_a * dx
                    x[a, 1] += factor_a * dy
                    x[a, 2] += factor_a * dz
                    x[b, 0] -= factor_b * dx
                    x[b, 1] -= factor_b * dy
                    x[b, 2] -= factor_b * dz


def main():
    world = taut.World.from_library("drape", SIDE)
    world.set_settings(substeps=SUBSTEPS, iterations=ITERATIONS, damping_rate=0)
    numpy_sheet = NumPySheet(world)
    sheets = {"taut": world, "numpy": numpy_sheet}
    if njit:
        sheets["numba"] = NumbaSheet(numpy_sheet)
    times = {name: [] for name in sheets}
    for _ in range(FRAMES):
        for name, sheet in sheets.items():
            start = time.perf_counter()
            sheet.step()
            times[name].append(time.perf_counter() - start)
    median = {name: statistics.median(values) for name, values in times.items()}
    sticks = sum(len(a) for a, *_ in numpy_sheet.groups)
    print(f"{SIDE} x {SIDE} particles, {sticks} sticks, {SUBSTEPS} x {ITERATIONS}; {world.kernels}")
    for name, seconds in median.items():
        positions = world.positions() if name == "taut" else sheets[name].x
        lowest, ratio = positions[:, 1].min(), seconds / median["taut"]
        print(f"{name:6} {1e6 * seconds:8.0f} us per frame, {ratio:6.1f} times that of taut; lowest point {lowest:.3f} m")


if __name__ == "__main__":
    main()
