//! The keys of scene files, with the types of their values; see `docs/scenes.md`.

use super::Value::{
    Array, Count, Counts, Flag, List, Model, Name, One, Point, Point3, Positive, Real, Rotation,
    Table, Timed, Word,
};
use super::{Key, Value, rare, usual};

const ORDERS: Value =
    Word(&["authored", "coloured", "packed", "banded", "blocked", "sheet", "starred"]);
const STICK_SETS: Value = Word(&["structural", "shear", "all"]);
const KINDS: Value = Word(&["two-sided", "maximum", "minimum"]);
const BENDING: Value = Word(&["free", "sticks"]);
const AXES_TABLE: Value = Table(&[usual("across", Point), usual("down", Point)]);
const SIZED_MESH: Value = Table(&[usual("size", Count), rare("sticks", STICK_SETS)]);
const SEED: Value = Count;

/// The keys of the whole scene.
pub(super) const SCENE: &[Key] = &[
    rare("formula", Word(&["exact", "newton", "halley", "quick"])),
    rare("order", ORDERS),
    rare("sleep", Table(&[rare("speed", Positive), rare("time", Positive)])),
    rare(
        "step",
        Table(&[
            rare("dt", Positive),
            rare("substeps", Count),
            rare("iterations", Count),
            rare("passes", Count),
            rare("gravity", Point),
            rare("damping_rate", Positive),
        ]),
    ),
];

const PATH: Value = One(&[
    usual("linear", Table(&[usual("velocity", Point)])),
    usual("oscillating", Table(&[usual("amplitude", Point), usual("period", Positive)])),
    usual("elliptical", Table(&[usual("radii", Array(&Point, 2)), usual("period", Positive)])),
    usual("keyframed", Table(&[usual("keys", List(&Timed, 3))])),
]);
const SPIN: Value = Table(&[
    usual("plane", Array(&Point, 2)),
    usual("centre", Point),
    usual("rate", Real),
    rare("period", Positive),
]);

/// The keys of every model.
pub(super) const MODEL: &[Key] = &[
    rare("turned", Rotation),
    rare("at", Point),
    rare("velocity", Point),
    rare("groups", Table(&[rare("g", List(&Count, 4))])),
    rare("pinned", List(&Name, 2)),
    rare(
        "guided",
        List(&Table(&[usual("group", Name), rare("path", PATH), rare("spin", SPIN)]), 2),
    ),
    rare("stiffness", Positive),
    rare("compliance", Positive),
    rare("tears_at", Positive),
    rare("tethers", Table(&[rare("slack", Positive), rare("anchors", Count)])),
    rare("springs", Table(&[usual("stiffness", Positive), usual("damping", Positive)])),
    rare(
        "self_collision",
        Table(&[
            rare("thickness", Positive),
            rare("friction", Positive),
            rare("categories", Count),
            rare("mask", Count),
        ]),
    ),
    // `copies` has two forms; at most one of them is written.
    rare("copies", Table(&[usual("at", List(&Point, 7))])),
    rare("copies", Table(&[usual("grid", Counts), usual("spacing", Point)])),
];

const CLOTH: Key = usual(
    "cloth",
    Table(&[
        rare("columns", Count),
        usual("rows", Count),
        rare("width", Positive),
        rare("height", Positive),
        rare("axes", AXES_TABLE),
        rare("families", STICK_SETS),
        rare("density", Positive),
        rare("diagonals", Word(&["alternating", "parallel"])),
    ]),
);
const HEX_SHEET: Key = usual(
    "hex_sheet",
    Table(&[
        usual("columns", Count),
        usual("rows", Count),
        rare("spacing", Positive),
        rare("axes", AXES_TABLE),
        rare("bending", BENDING),
        rare("density", Positive),
    ]),
);
const ROPE: Key = usual(
    "rope",
    Table(&[
        usual("path", List(&Point, 4)),
        rare("spacing", Positive),
        rare("density", Positive),
        rare("kind", KINDS),
        rare("bending", Positive),
    ]),
);
const PLANT: Key = usual(
    "plant",
    Table(&[
        rare("height", Positive),
        usual("pieces", Count),
        rare("levels", Count),
        rare("angle", Positive),
        rare("leaf", Positive),
        rare("thickness", Positive),
        rare("wood_density", Positive),
        rare("leaf_density", Positive),
        rare("stiffness", Positive),
        rare("seed", SEED),
    ]),
);
const RAGDOLL: Key = usual(
    "ragdoll",
    Table(&[rare("height", Positive), rare("mass", Positive), rare("posture", Positive)]),
);
const EMITTER: Key = usual(
    "emitter",
    Table(&[
        rare(
            "source",
            One(&[
                usual("point", Point),
                usual("disc", Table(&[usual("centre", Point), usual("axes", Array(&Point, 2))])),
                usual("polygons", List(&Array(&Point, 3), 3)),
            ]),
        ),
        usual("rate", Positive),
        rare("velocity", Point),
        rare("normal_speed", Positive),
        rare("spread", Positive),
        rare("lifetime", Array(&Positive, 2)),
        rare("mass", Positive),
        rare("seed", SEED),
        rare("group", Name),
    ]),
);
const SPRING: Value = Table(&[
    usual("ends", Array(&Count, 2)),
    usual("rest", Positive),
    usual("stiffness", Positive),
    usual("damping", Positive),
]);
const PARTICLES: Key = usual(
    "particles",
    Table(&[
        usual("positions", Array(&Point, 4)),
        usual("masses", Array(&Positive, 4)),
        rare("sticks", List(&Array(&Count, 2), 6)),
        rare("springs", List(&SPRING, 3)),
    ]),
);

/// The builders of models in 2D.
pub(super) const BUILDERS: &[Key] = &[CLOTH, HEX_SHEET, ROPE, PLANT, RAGDOLL, EMITTER, PARTICLES];

const FILE: Key = rare("file", Word(&["square.obj", "none.obj"]));
const SCALE: Key = rare("scale", Positive);
const POSITIONS: Key = rare("positions", List(&Point3, 5));
const TRIANGLES: Key = rare("triangles", List(&Array(&Count, 3), 5));

/// The builders of models in 3D.
pub(super) const BUILDERS_3D: &[Key] = &[
    CLOTH,
    HEX_SHEET,
    ROPE,
    PLANT,
    RAGDOLL,
    EMITTER,
    PARTICLES,
    usual("drape", SIZED_MESH),
    usual("disc", SIZED_MESH),
    usual("ball", SIZED_MESH),
    usual(
        "mesh",
        Table(&[
            FILE,
            SCALE,
            POSITIONS,
            TRIANGLES,
            usual("density", Positive),
            rare("bending", BENDING),
        ]),
    ),
    usual(
        "bridge",
        Table(&[
            usual("from", Point),
            usual("to", Point),
            usual("planks", Count),
            rare("ropes", Count),
            rare("width", Positive),
            rare("sag", Positive),
            rare("rails", Positive),
            rare("plank_mass", Positive),
            rare("density", Positive),
        ]),
    ),
    usual("tetrahedron", Table(&[usual("edge", Positive), usual("mass", Positive)])),
    usual("basis", Table(&[usual("edge", Positive), usual("mass", Positive)])),
    usual(
        "rigid",
        Table(&[
            usual("mass", Positive),
            usual("centre", Point3),
            usual("inertia", Array(&Point3, 3)),
        ]),
    ),
    usual("rigid_box", Table(&[usual("size", Array(&Positive, 3)), usual("density", Positive)])),
    usual("rigid_mesh", Table(&[FILE, SCALE, POSITIONS, TRIANGLES, usual("density", Positive)])),
];

/// An end of a tie.
const TIE_END: Value = Table(&[
    usual("model", Model),
    rare("particle", Count),
    rare("group", Name),
    rare("stick", Count),
    rare("limb", Count),
    rare("face", Count),
    rare("body", Count),
    rare("fraction", Positive),
    rare("weights", Array(&Positive, 2)),
    rare("point", Point3),
]);

/// The keys of a tie.
pub(super) const TIE: &[Key] = &[
    usual("from", TIE_END),
    usual("to", TIE_END),
    rare("distance", Positive),
    rare("kind", KINDS),
    rare("compliance", Positive),
    rare("breaking_force", Positive),
];

/// The keys of every force.
pub(super) const FORCE: &[Key] = &[
    rare("on", Name),
    rare(
        "within",
        One(&[
            usual("ball", Table(&[usual("centre", Point), usual("radius", Positive)])),
            usual("box", Table(&[usual("from", Point), usual("to", Point)])),
            usual("behind", Table(&[usual("normal", Point), usual("offset", Real)])),
        ]),
    ),
];

const DRAG: Key = usual(
    "drag",
    Table(&[rare("linear", Positive), rare("quadratic", Positive), rare("air", Point)]),
);
const ACCELERATION: Key = usual("acceleration", Point);
const ATTRACTOR: Key = usual(
    "attractor",
    Table(&[usual("place", Point), usual("strength", Real), usual("softening", Positive)]),
);

/// The forces in 2D.
pub(super) const FORCES: &[Key] = &[DRAG, ACCELERATION, ATTRACTOR];

const LAW: Value = One(&[
    usual("normal", Table(&[usual("pressure", Positive)])),
    usual(
        "plate",
        Table(&[usual("density", Positive), usual("drag", Positive), usual("lift", Positive)]),
    ),
]);
const GUSTS: Value =
    Table(&[usual("strength", Positive), usual("size", Positive), usual("seed", SEED)]);

/// The forces in 3D.
pub(super) const FORCES_3D: &[Key] = &[
    DRAG,
    ACCELERATION,
    ATTRACTOR,
    usual(
        "wind",
        Table(&[
            usual("velocity", Point),
            rare("gusts", GUSTS),
            rare("law", LAW),
            rare("sampling", Word(&["step", "substep"])),
        ]),
    ),
];

/// The keys of every obstacle.
pub(super) const OBSTACLE: &[Key] = &[
    rare(
        "surface",
        Table(&[
            rare("friction", Positive),
            rare("restitution", Positive),
            rare("restitution_threshold", Positive),
            rare("thickness", Positive),
        ]),
    ),
    rare("path", PATH),
    rare("spin", SPIN),
    rare("swept", Flag),
    rare("edges", Flag),
];

const SPHERE: Key = usual("sphere", Table(&[usual("centre", Point), usual("radius", Positive)]));
const CAPSULE: Key =
    usual("capsule", Table(&[usual("ends", Array(&Point, 2)), usual("radius", Positive)]));
const CUBOID: Key = usual("cuboid", Table(&[usual("min", Point), usual("max", Point)]));
const TILTED: Key =
    usual("tilted_cuboid", Table(&[usual("centre", Point), usual("half_edges", List(&Point, 3))]));
const HALF_SPACE: Key =
    usual("half_space", Table(&[usual("point", Point), usual("normal", Point)]));
const BOUNDS: Key = usual("bounds", Table(&[usual("min", Point), usual("max", Point)]));
const LIMB_CONTACTS: Key = usual(
    "limb_contacts",
    Table(&[rare("friction", Positive), rare("margin", Positive), rare("own_limbs", Flag)]),
);

/// The shapes of obstacles in 2D.
pub(super) const SHAPES: &[Key] =
    &[SPHERE, CAPSULE, CUBOID, TILTED, HALF_SPACE, BOUNDS, LIMB_CONTACTS];

/// The shapes of obstacles in 3D.
pub(super) const SHAPES_3D: &[Key] = &[
    SPHERE,
    CAPSULE,
    CUBOID,
    TILTED,
    HALF_SPACE,
    BOUNDS,
    LIMB_CONTACTS,
    usual(
        "mesh",
        Table(&[FILE, SCALE, POSITIONS, TRIANGLES, usual("facing", Word(&["front", "both"]))]),
    ),
    usual("body_contacts", Table(&[rare("margin", Positive)])),
];
