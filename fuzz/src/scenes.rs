//! Valid scenes, for targets that change worlds of them.

/// Three scenes in 3D: a cloth that tears, with tethers and a rope tied to it; copies of a disc; and a
/// sheet of triangles and a rope that fall asleep.
pub const SCENES: [&str; 3] = [
    r#"
    [[model]]
    name = "cloth"
    cloth = { columns = 4, rows = 3, width = 0.3, height = 0.2 }
    pinned = ["top"]
    tears_at = 1.5
    tethers = {}
    self_collision = {}
    [[model]]
    name = "rope"
    rope = { path = [[0.3, 0.1, 0.0], [0.5, 0.1, 0.0]], spacing = 0.1 }
    [[tie]]
    from = { model = "cloth", particle = 11 }
    to = { model = "rope", group = "start" }
    "#,
    r#"
    [[model]]
    name = "disc"
    disc = { size = 2 }
    copies = { grid = [7, 1, 1], spacing = [1.0, 0.0, 0.0] }
    "#,
    r#"
    sleep = { speed = 1.0, time = 0.02 }
    [[model]]
    name = "rug"
    hex_sheet = { columns = 3, rows = 3 }
    self_collision = {}
    [[model]]
    name = "rope"
    rope = { path = [[2.0, 0.1, 0.0], [2.2, 0.1, 0.0]], spacing = 0.1 }
    springs = { stiffness = 1.0, damping = 0.001 }
    [[obstacle]]
    half_space = { point = [0.0, -0.1, 0.0], normal = [0.0, 1.0, 0.0] }
    "#,
];

/// A scene in 2D, of a cloth, a rope and an obstacle.
pub const FLAT: &str = r#"
    dimensions = 2
    [[model]]
    name = "curtain"
    cloth = { columns = 4, rows = 3, width = 0.3, height = 0.2 }
    pinned = ["top"]
    tears_at = 1.5
    tethers = {}
    [[model]]
    name = "rope"
    rope = { path = [[0.3, 0.1], [0.5, 0.1]], spacing = 0.1 }
    [[obstacle]]
    half_space = { point = [0.0, -0.3], normal = [0.0, 1.0] }
    "#;

/// A scene of a rigid body, a ragdoll, a cloth and an obstacle. It has more vertices than particles.
pub const BODIES: &str = r#"
    [[model]]
    name = "box"
    rigid_box = { size = [0.2, 0.1, 0.3], density = 300.0 }
    self_collision = {}
    [[model]]
    name = "doll"
    ragdoll = { height = 0.5 }
    at = [0.0, 0.8, 0.0]
    self_collision = {}
    [[model]]
    name = "sheet"
    cloth = { columns = 4, rows = 4, width = 0.5, height = 0.5 }
    at = [0.0, 0.3, 0.1]
    self_collision = {}
    [[obstacle]]
    half_space = { point = [0.0, -0.1, 0.0], normal = [0.0, 1.0, 0.0] }
    "#;
