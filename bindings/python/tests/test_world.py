"""Worlds from Python: the same hashes as in Rust, arrays, errors, pickles and copies."""

import pickle
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import taut

TABLE = Path(__file__).parents[2] / "hashes.txt"
ROWS = [line.split() for line in TABLE.read_text().splitlines() if not line.startswith("#")]


def falling_sheet(**options):
    """The world of the example falling-sheet (bindings/c/examples/falling_sheet.c), before its steps.

    It has 17 x 17 = 289 particles and 2 x 16 x 16 = 512 triangles. Particles 0 and 16 are pinned.
    """
    side = 17
    vertices = np.array([[0.0625 * x, 0, 0.0625 * z] for z in range(side) for x in range(side)], np.float32)
    triangles = []
    for row in range(side - 1):
        for column in range(side - 1):
            a = side * row + column
            b, c, d = a + 1, a + side, a + side + 1
            triangles += [[a, c, b], [b, c, d]]
    world = taut.World.from_mesh(vertices, np.array(triangles, np.uint32), **options)
    world.pin(0)
    world.pin(side - 1)
    return world


def torn_flag(**options):
    """The world of the example torn-flag (bindings/c/examples/torn_flag.cpp), after its steps."""
    world = taut.World.from_library("flag", 24, **options)
    world.set_wind((6, 0, 2))
    world.step(90)
    assert world.cut([[-0.3, 0.1, -5], [-0.3, 0.1, 5]], [[-0.3, 5, -5], [-0.3, 5, 5]]) > 0
    world.step(60)
    return world


@pytest.mark.parametrize("options", [{}, {"kernel": "scalar"}, {"threads": 2}], ids=str)
@pytest.mark.parametrize("row", ROWS, ids=" ".join)
def test_hashes_are_those_of_the_table(row, options):
    match row:
        case ["library", name, size, steps, expected]:
            world = taut.World.from_library(name, int(size), **options)
            assert world.step(int(steps)).finite
        case ["example", "falling-sheet", expected]:
            world = falling_sheet(**options)
            world.step(120)
        case ["example", "torn-flag", expected]:
            world = torn_flag(**options)
    assert f"{world.hash():016x}" == expected


def test_arrays_are_filled_in_place():
    world = falling_sheet()
    positions = world.positions()
    assert positions.shape == (289, 3) and positions.dtype == np.float32
    assert world.triangles().shape == (512, 3) and world.lines().dtype == np.uint32
    world.step()
    assert world.positions(out=positions) is positions
    assert positions[:, 1].min() < 0
    assert np.allclose(np.linalg.norm(world.normals(), axis=1), 1, atol=1e-5)
    for wrong in [np.zeros((288, 3), np.float32), np.zeros((3, 289), np.float32).T]:
        with pytest.raises(taut.TautError, match="out"):
            world.positions(out=wrong)
    positions.flags.writeable = False
    with pytest.raises(taut.TautError, match="not writable"):
        world.positions(out=positions)


def test_scene_text_and_its_errors():
    world = taut.World.from_toml('[[model]]\nname = "sheet"\ndrape = { size = 16 }\n')
    assert world.model("sheet") == (0, 256) and world.dimensions == 3
    with pytest.raises(taut.TautError, match="^line 2: unknown field `substep`"):
        taut.World.from_toml("[step]\nsubstep = 4")
    with pytest.raises(taut.TautError, match="sheet.*no group 'x'"):
        world.group("sheet", "x")
    for call in [lambda: world.pin(256), lambda: taut.World.from_library("x"), lambda: world.set_settings(substeps=0)]:
        with pytest.raises(taut.TautError):
            call()


def test_mesh_files_are_read_from_the_folder_only(tmp_path):
    (tmp_path / "square.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3\nf 1 3 4\n")
    text = '[[model]]\nname = "cloth"\nmesh = { file = "%s", density = 0.2 }\n'
    assert taut.World.from_toml(text % "square.obj", tmp_path).particles == 4
    # The file exists, but not in the folder that is given.
    (tmp_path / "below").mkdir()
    with pytest.raises(taut.TautError):
        taut.World.from_toml(text % "../square.obj", tmp_path / "below")


def test_pins_grabs_settings_and_tears():
    world = falling_sheet()
    world.set_settings(gravity=(0, -1.62, 0), substeps=4)
    assert world.settings["substeps"] == 4 and world.settings["gravity"] == pytest.approx((0, -1.62, 0))
    particle = world.nearest((1, 0, 1))
    assert particle == 288
    world.grab(particle)
    world.drag(particle, (1, 0.5, 1))
    world.step()
    assert world.position(particle) == [1, 0.5, 1]
    world.release(particle)
    world.unpin(0)
    world.step()
    assert world.position(0) != [0, 0, 0] and world.inverse_mass(0) > 0
    before = world.drawing_version
    assert world.tear(0) and not world.tear(0)
    assert world.drawing_version > before


def test_snapshots_and_pickles_continue_with_the_same_bits():
    world = torn_flag()
    world.set_tear_factor(1.02)
    other = pickle.loads(pickle.dumps(world))
    snapshot = world.snapshot()
    outcome, other_outcome = world.step(30), other.step(30)
    assert outcome.finite and other_outcome.finite and outcome.torn == other_outcome.torn > 0
    assert world.hash() == other.hash()
    world.restore(snapshot)
    world.step(30)
    assert world.hash() == other.hash()
    with pytest.raises(taut.TautError, match="not a snapshot"):
        world.restore(b"{}")
    sheet = falling_sheet(density=0.3)
    assert pickle.loads(pickle.dumps(sheet)).hash() == sheet.hash()


def test_each_copy_has_the_bits_of_the_scene_alone():
    # Without tethers: the copies of a sheet with tethers are not relaxed together.
    one, many = falling_sheet(tethered=False), falling_sheet(tethered=False, copies=20)
    for copy in range(20):
        many.pin(289 * copy)
        many.pin(289 * copy + 16)
    one.step(30)
    many.step(30)
    positions = many.positions()
    assert positions.shape == (20, 289, 3)
    assert all((copy == one.positions()).all() for copy in positions)
    # Copy 5 is reset to the initial positions.
    many.set_positions(falling_sheet(tethered=False).positions(), first=5 * 289)
    many.step(1)
    assert (many.positions()[4] == many.positions()[19]).all()
    assert not (many.positions()[5] == many.positions()[19]).all()
    with pytest.raises(taut.TautError, match="copies would collide"):
        taut.World.from_library("ragdolls-3d", 1, copies=4)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64, np.uint64, ">i4", list], ids=str)
def test_triangles_may_be_integers_of_any_type(dtype):
    square = [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]]
    triangles = np.array([[0, 1, 2], [0, 2, 3]])
    given = triangles.tolist() if dtype is list else triangles.astype(dtype)
    world = taut.World.from_mesh(square, given)
    assert (world.triangles() == triangles).all()
    assert pickle.loads(pickle.dumps(world)).hash() == world.hash()


def test_triangles_that_are_not_vertex_indices_are_errors():
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]])
    for index, dtype in [(-1, np.int32), (4, np.uint32), (2**32, np.int64), (2**63, np.uint64)]:
        triangles = np.array([[0, 1, 2], [0, 2, index]], dtype)
        with pytest.raises(taut.TautError, match=rf"^triangles\[1, 2\] is {index}, expected .* 4 vertices$"):
            taut.World.from_mesh(square, triangles)
    for dtype in [np.float64, np.bool_, object]:
        with pytest.raises(TypeError, match=f"^triangles must be integers, found {np.dtype(dtype)}$"):
            taut.World.from_mesh(square, np.array([[0, 1, 2], [0, 2, 3]], dtype))
    with pytest.raises(taut.TautError, match="shape of triangles"):
        taut.World.from_mesh(square, np.array([[0, 1], [2, 3]]))


def test_counts_and_indices_out_of_range_are_errors():
    world = falling_sheet()
    before = world.hash()
    point = (0, 0, 0)
    calls = [
        ("count", lambda number: world.step(number)),
        ("particle", lambda number: world.position(number)),
        ("particle", lambda number: world.set_position(number, point)),
        ("first", lambda number: world.set_positions([point], first=number)),
        ("particle", lambda number: world.set_velocity(number, point)),
        ("particle", lambda number: world.inverse_mass(number)),
        ("particle", lambda number: world.set_inverse_mass(number, 1)),
        ("particle", lambda number: world.pin(number)),
        ("particle", lambda number: world.unpin(number)),
        ("particle", lambda number: world.grab(number)),
        ("particle", lambda number: world.drag(number, point)),
        ("particle", lambda number: world.release(number)),
        ("stick", lambda number: world.tear(number)),
        ("substeps", lambda number: world.set_settings(substeps=number)),
        ("iterations", lambda number: world.set_settings(iterations=number)),
        ("passes", lambda number: world.set_settings(passes=number)),
        ("size", lambda number: taut.World.from_library("drape", number)),
        ("copies", lambda number: taut.World.from_library("drape", 8, copies=number)),
        ("threads", lambda number: taut.World.from_library("drape", 8, threads=number)),
    ]
    for name, call in calls:
        note = f"\nwhile processing '{name}'" if sys.version_info >= (3, 11) else ""
        for number in [-1, 2**32, 2**64, np.int64(-1)]:
            with pytest.raises(taut.TautError, match=f"^expected an integer from 0 to 4294967295, found {number}{note}$"):
                call(number)
        with pytest.raises(TypeError):
            call(1.5)
    assert world.hash() == before
    world.pin(np.uint8(1))


def test_points_of_a_wrong_length_are_errors():
    world = falling_sheet()
    for call in [
        lambda point: world.set_position(0, point),
        lambda point: world.nearest(point),
        lambda point: world.cut([point, (0, 0, 0)], [(0, 0, 0), (0, 0, 0)]),
        lambda point: world.set_wind(point),
        lambda point: world.set_settings(gravity=point),
    ]:
        for point in [(0, 0), (0, 0, 0, 0), (10**400, 0, 0)]:
            with pytest.raises(taut.TautError):
                call(point)
        with pytest.raises(TypeError):
            call(5)


def test_out_of_another_type_is_a_type_error():
    world = falling_sheet()
    for out, found in [(np.zeros((289, 3)), "float64"), ([0.0] * 867, "list")]:
        for call in [world.positions, world.normals]:
            with pytest.raises(TypeError, match=f"^out must be a float32 array, found .*{found}"):
                call(out=out)


def test_invalid_arrays_and_an_invalid_wind_are_errors():
    world = falling_sheet()
    before = world.positions()
    positions = before + 1
    positions[5, 1] = np.nan
    with pytest.raises(taut.TautError, match="particle 5"):
        world.set_positions(positions)
    assert (world.positions() == before).all()
    with pytest.raises(taut.TautError, match="shape of positions"):
        world.set_positions(np.ascontiguousarray(before.T))
    # A row has 15 bytes, so most of the positions are not aligned to 4 bytes.
    packed = np.zeros(len(before), np.dtype([("position", "<f4", 3), ("colour", "u1", 3)]))
    with pytest.raises(taut.TautError, match="vertices is not aligned"):
        taut.World.from_mesh(packed["position"], world.triangles())
    with pytest.raises(taut.TautError, match="wind"):
        world.set_wind((np.nan, 0, 0))


def test_steps_release_the_global_interpreter_lock():
    world = taut.World.from_library("drape", 128)
    done, ran_during_step = threading.Event(), False

    def step():
        world.step(200)
        done.set()

    thread = threading.Thread(target=step)
    thread.start()
    while not done.is_set():
        try:
            world.steps
        except RuntimeError:  # PyO3: the world is borrowed, so this thread runs during the call of `step`
            ran_during_step = True
    thread.join()
    assert ran_during_step and world.steps == 200
