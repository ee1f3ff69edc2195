//! What wind does to a triangle, in numbers for loops.

/// What a law makes of a triangle.
pub(super) trait Law: Copy {
    /// Its force, N, by its normal of length 2 A, m²; the velocity of the air to it, m/s; and what
    /// one over is the most, kg/s, that may come of force by velocity.
    fn force(self, normal: [f32; 3], u: [f32; 3], loose: f32) -> [f32; 3];
}

#[inline(always)]
pub(super) fn dot([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> f32 {
    (ax * bx + ay * by) + az * bz
}

#[inline(always)]
fn scaled([x, y, z]: [f32; 3], by: f32) -> [f32; 3] {
    [x * by, y * by, z * by]
}

/// Whether something of this squared length has a direction: not too short, and not too long.
#[inline(always)]
fn has_direction(squared_length: f32) -> bool {
    (f32::MIN_POSITIVE..=f32::MAX).contains(&squared_length)
}

#[derive(Clone, Copy)]
pub(super) struct Normal {
    pub(super) half_pressure: f32,
}

impl Law for Normal {
    #[inline(always)]
    fn force(self, normal: [f32; 3], u: [f32; 3], loose: f32) -> [f32; 3] {
        let l2 = dot(normal, normal);
        let l = l2.sqrt();
        let across = dot(normal, u);
        let gentle = (self.half_pressure * l) * loose <= 1.0;
        let above = if gentle { self.half_pressure * across } else { across };
        let below = if gentle { l } else { l2 * loose };
        scaled(normal, if has_direction(l2) { above / below } else { 0.0 })
    }
}

#[derive(Clone, Copy)]
pub(super) struct Drag {
    pub(super) quarter_density: f32,
    pub(super) drag: f32,
}

impl Law for Drag {
    #[inline(always)]
    fn force(self, normal: [f32; 3], u: [f32; 3], loose: f32) -> [f32; 3] {
        let by_speed = self.drag * (self.quarter_density * dot(normal, u).abs());
        scaled(u, if by_speed * loose <= 1.0 { by_speed } else { 1.0 / loose })
    }
}

#[derive(Clone, Copy)]
pub(super) struct DragAndLift {
    pub(super) quarter_density: f32,
    pub(super) drag: f32,
    pub(super) lift: f32,
    /// How much of both together lets nothing grow: with d of drag and l of lift, `u` becomes
    /// `(1 - d) u` and `l |u|` across it; that is no longer than `u` if `d² + l² <= 2 d`.
    pub(super) reach: f32,
}

impl Law for DragAndLift {
    #[inline(always)]
    fn force(self, normal: [f32; 3], u: [f32; 3], loose: f32) -> [f32; 3] {
        let (across, u2) = (dot(normal, u), dot(u, u));
        let by_speed = self.quarter_density * across.abs();
        let by_speed = if by_speed * loose <= self.reach { by_speed } else { self.reach / loose };
        let r2 = dot(normal, normal) * u2;
        let lift = self.lift * (if across < 0.0 { -by_speed } else { by_speed });
        let lift = if has_direction(r2) { lift / r2.sqrt() } else { 0.0 };
        let along = self.drag * by_speed - lift * across;
        let lift = lift * u2;
        core::array::from_fn(|axis| u[axis] * along + normal[axis] * lift)
    }
}
