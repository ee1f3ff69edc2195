//! The keys of scene files; see `docs/scenes.md`.

use super::Value::{
    Array, Count, Counts, Flag, List, Model, Name, One, Point, Point3, Positive, Real, Rotation,
    Table, Timed, Word,
};
use super::{Key, Value, may, must};

const ORDERS: Value =
    Word(&["authored", "coloured", "packed", "banded", "blocked", "sheet", "starred"]);
const STICK_SETS: Value = Word(&["structural", "shear", "all"]);
const KINDS: Value = Word(&["two-sided", "maximum", "minimum"]);
const BENDING: Value = Word(&["free", "sticks"]);
const AXES: Value = Table(&[must("across", Point), must("down", Point)]);
const SIZE: Value = Table(&[must("size", Count), may("sticks", STICK_SETS)]);
const SEED: Value = Count;

/// The keys of the whole scene.
pub(super) const SCENE: &[Key] = &[
    may("formula", Word(&["exact", "newton", "halley", "quick"])),
    may("order", ORDERS),
    may("sleep", Table(&[may("speed", Positive), may("time", Positive)])),
    may(
        "step",
        Table(&[
            may("dt", Positive),
            may("substeps", Count),
            may("iterations", Count),
            may("passes", Count),
            may("gravity", Point),
            may("damping_rate", Positive),
        ]),
    ),
];

const PATH: Value = One(&[
    must("linear", Table(&[must("velocity", Point)])),
    must("oscillating", Table(&[must("amplitude", Point), must("period", Positive)])),
    must("circular", Table(&[must("radii", Array(&Point, 2)), must("period", Positive)])),
    must("keyframed", Table(&[must("keys", List(&Timed, 3))])),
]);
const SPIN: Value = Table(&[
    must("plane", Array(&Point, 2)),
    must("centre", Point),
    must("rate", Real),
    may("period", Positive),
]);

/// The keys of every model.
pub(super) const MODEL: &[Key] = &[
    may("turned", Rotation),
    may("at", Point),
    may("velocity", Point),
    may("groups", Table(&[may("g", List(&Count, 4))])),
    may("pinned", List(&Name, 2)),
    may("guided", List(&Table(&[must("group", Name), may("path", PATH), may("spin", SPIN)]), 2)),
    may("stiffness", Positive),
    may("compliance", Positive),
    may("tears_at", Positive),
    may("tethers", Table(&[may("slack", Positive), may("anchors", Count)])),
    may("springs", Table(&[must("stiffness", Positive), must("damping", Positive)])),
    may(
        "self_collision",
        Table(&[
            may("thickness", Positive),
            may("friction", Positive),
            may("categories", Count),
            may("mask", Count),
        ]),
    ),
    // Two forms.
    may("copies", Table(&[must("at", List(&Point, 7))])),
    may("copies", Table(&[must("grid", Counts), must("spacing", Point)])),
];

const CLOTH: Key = must(
    "cloth",
    Table(&[
        may("columns", Count),
        must("rows", Count),
        may("width", Positive),
        may("height", Positive),
        may("axes", AXES),
        may("families", STICK_SETS),
        may("density", Positive),
        may("diagonals", Word(&["alternating", "parallel"])),
    ]),
);
const HEX_SHEET: Key = must(
    "hex_sheet",
    Table(&[
        must("columns", Count),
        must("rows", Count),
        may("spacing", Positive),
        may("axes", AXES),
        may("bending", BENDING),
        may("density", Positive),
    ]),
);
const ROPE: Key = must(
    "rope",
    Table(&[
        must("path", List(&Point, 4)),
        may("spacing", Positive),
        may("density", Positive),
        may("kind", KINDS),
        may("bending", Positive),
    ]),
);
const PLANT: Key = must(
    "plant",
    Table(&[
        may("height", Positive),
        must("pieces", Count),
        may("levels", Count),
        may("angle", Positive),
        may("leaf", Positive),
        may("thickness", Positive),
        may("wood_density", Positive),
        may("leaf_density", Positive),
        may("stiffness", Positive),
        may("seed", SEED),
    ]),
);
const RAGDOLL: Key = must(
    "ragdoll",
    Table(&[may("height", Positive), may("mass", Positive), may("posture", Positive)]),
);
const EMITTER: Key = must(
    "emitter",
    Table(&[
        may(
            "source",
            One(&[
                must("point", Point),
                must("disc", Table(&[must("centre", Point), must("axes", Array(&Point, 2))])),
                must("polygons", List(&Array(&Point, 3), 3)),
            ]),
        ),
        must("rate", Positive),
        may("velocity", Point),
        may("normal_speed", Positive),
        may("spread", Positive),
        may("lifetime", Array(&Positive, 2)),
        may("mass", Positive),
        may("seed", SEED),
        may("group", Name),
    ]),
);
const SPRING: Value = Table(&[
    must("ends", Array(&Count, 2)),
    must("rest", Positive),
    must("stiffness", Positive),
    must("damping", Positive),
]);
const PARTICLES: Key = must(
    "particles",
    Table(&[
        must("positions", Array(&Point, 4)),
        must("masses", Array(&Positive, 4)),
        may("sticks", List(&Array(&Count, 2), 6)),
        may("springs", List(&SPRING, 3)),
    ]),
);

/// The builders of models in 2D.
pub(super) const BUILDERS: &[Key] = &[CLOTH, HEX_SHEET, ROPE, PLANT, RAGDOLL, EMITTER, PARTICLES];

const FILE: Key = may("file", Word(&["square.obj", "none.obj"]));
const SCALE: Key = may("scale", Positive);
const POSITIONS: Key = may("positions", List(&Point3, 5));
const CORNERS: Key = may("triangles", List(&Array(&Count, 3), 5));

/// The builders of models in 3D.
pub(super) const ALL_BUILDERS: &[Key] = &[
    CLOTH,
    HEX_SHEET,
    ROPE,
    PLANT,
    RAGDOLL,
    EMITTER,
    PARTICLES,
    must("drape", SIZE),
    must("disc", SIZE),
    must("ball", SIZE),
    must(
        "mesh",
        Table(&[
            FILE,
            SCALE,
            POSITIONS,
            CORNERS,
            must("density", Positive),
            may("bending", BENDING),
        ]),
    ),
    must(
        "bridge",
        Table(&[
            must("from", Point),
            must("to", Point),
            must("planks", Count),
            may("ropes", Count),
            may("width", Positive),
            may("sag", Positive),
            may("rails", Positive),
            may("plank_mass", Positive),
            may("density", Positive),
        ]),
    ),
    must("tetrahedron", Table(&[must("edge", Positive), must("mass", Positive)])),
    must("basis", Table(&[must("edge", Positive), must("mass", Positive)])),
    must(
        "rigid",
        Table(&[
            must("mass", Positive),
            must("centre", Point3),
            must("inertia", Array(&Point3, 3)),
        ]),
    ),
    must("rigid_box", Table(&[must("size", Array(&Positive, 3)), must("density", Positive)])),
    must("rigid_mesh", Table(&[FILE, SCALE, POSITIONS, CORNERS, must("density", Positive)])),
];

const END: Value = Table(&[
    must("model", Model),
    may("particle", Count),
    may("group", Name),
    may("stick", Count),
    may("limb", Count),
    may("face", Count),
    may("body", Count),
    may("share", Positive),
    may("weights", Array(&Positive, 2)),
    may("point", Point3),
]);

/// The keys of a tie.
pub(super) const TIE: &[Key] = &[
    must("from", END),
    must("to", END),
    may("distance", Positive),
    may("kind", KINDS),
    may("compliance", Positive),
    may("breaking_force", Positive),
];

/// The keys of every force.
pub(super) const FORCE: &[Key] = &[
    may("on", Name),
    may(
        "within",
        One(&[
            must("ball", Table(&[must("centre", Point), must("radius", Positive)])),
            must("box", Table(&[must("from", Point), must("to", Point)])),
            must("behind", Table(&[must("normal", Point), must("offset", Real)])),
        ]),
    ),
];

const DRAG: Key =
    must("drag", Table(&[may("linear", Positive), may("quadratic", Positive), may("air", Point)]));
const ACCELERATION: Key = must("acceleration", Point);
const ATTRACTOR: Key = must(
    "attractor",
    Table(&[must("place", Point), must("strength", Real), must("softening", Positive)]),
);

/// The forces in 2D.
pub(super) const FORCES: &[Key] = &[DRAG, ACCELERATION, ATTRACTOR];

const LAW: Value = One(&[
    must("normal", Table(&[must("pressure", Positive)])),
    must(
        "plate",
        Table(&[must("density", Positive), must("drag", Positive), must("lift", Positive)]),
    ),
]);
const GUSTS: Value =
    Table(&[must("strength", Positive), must("size", Positive), must("seed", SEED)]);

/// The forces in 3D.
pub(super) const FORCES_3D: &[Key] = &[
    DRAG,
    ACCELERATION,
    ATTRACTOR,
    must(
        "wind",
        Table(&[
            must("velocity", Point),
            may("gusts", GUSTS),
            may("law", LAW),
            may("sampling", Word(&["step", "substep"])),
        ]),
    ),
];

/// The keys of every obstacle.
pub(super) const OBSTACLE: &[Key] = &[
    may(
        "surface",
        Table(&[
            may("friction", Positive),
            may("restitution", Positive),
            may("restitution_threshold", Positive),
            may("thickness", Positive),
        ]),
    ),
    may("path", PATH),
    may("spin", SPIN),
    may("swept", Flag),
    may("edges", Flag),
];

const SPHERE: Key = must("sphere", Table(&[must("centre", Point), must("radius", Positive)]));
const CAPSULE: Key =
    must("capsule", Table(&[must("ends", Array(&Point, 2)), must("radius", Positive)]));
const CUBOID: Key = must("cuboid", Table(&[must("min", Point), must("max", Point)]));
const TILTED: Key =
    must("tilted_cuboid", Table(&[must("centre", Point), must("half_edges", List(&Point, 3))]));
const HALF_SPACE: Key = must("half_space", Table(&[must("point", Point), must("normal", Point)]));
const BOUNDS: Key = must("bounds", Table(&[must("min", Point), must("max", Point)]));
const LIMBS: Key = must(
    "limb_contacts",
    Table(&[may("friction", Positive), may("margin", Positive), may("own_limbs", Flag)]),
);

/// The shapes of obstacles in 2D.
pub(super) const SHAPES: &[Key] = &[SPHERE, CAPSULE, CUBOID, TILTED, HALF_SPACE, BOUNDS, LIMBS];

/// The shapes of obstacles in 3D.
pub(super) const SHAPES_3D: &[Key] = &[
    SPHERE,
    CAPSULE,
    CUBOID,
    TILTED,
    HALF_SPACE,
    BOUNDS,
    LIMBS,
    must(
        "mesh",
        Table(&[FILE, SCALE, POSITIONS, CORNERS, must("facing", Word(&["front", "both"]))]),
    ),
    must("body_contacts", Table(&[may("margin", Positive)])),
];
