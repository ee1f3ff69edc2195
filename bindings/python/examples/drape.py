"""A cloth that falls on a ball: four pictures, half a second apart, drawn by matplotlib.

python drape.py drape.png    # needs matplotlib
"""

import sys

import matplotlib.pyplot as plt

import taut

SCENE = """
[[model]]
name = "cloth"
cloth = { columns = 48, rows = 48, width = 1.0, height = 1.0, axes = { across = [1, 0, 0], down = [0, 0, 1] } }

[[obstacle]]
sphere = { centre = [0.0, -0.35, 0.0], radius = 0.3 }
"""


def main(path):
    world = taut.World.from_toml(SCENE)
    triangles, positions = world.triangles(), world.positions()
    figure = plt.figure(figsize=(10, 3))
    for picture in range(4):
        if picture > 0:
            outcome = world.step(30)  # 30 steps of 1/60 s
            assert outcome.finite
        x, y, z = world.positions(out=positions).T  # y points up; in the plot the third axis does
        axes = figure.add_subplot(1, 4, picture + 1, projection="3d")
        axes.plot_trisurf(x, z, y, triangles=triangles, color="tab:blue", linewidth=0)
        axes.set(title=f"{world.time:.1f} s", zlim=(-1, 0), box_aspect=(1, 1, 1))
        axes.set_axis_off()
    figure.savefig(path, dpi=100, bbox_inches="tight")


if __name__ == "__main__":
    main(*sys.argv[1:])
