//! Ragdolls: bodies with human proportions and joint limits.

use taut_core::Kind;

use super::builder::ModelBuilder;
use super::checks::{check_fraction, check_positive};
use super::{Model, ModelError};
use crate::drawing::ModelKind;
use crate::vector::{scaled, sum};

// Heights and lengths as fractions of the height of the body: Drillis and Contini, "Body Segment
// Parameters", New York University 1966, as printed in Winter, "Biomechanics and Motor Control of
// Human Movement", figure 4.1. (The particle of a hand is at the wrist, that of a foot at the
// ankle. Hands and feet, 0.108 and 0.152 of the height in reality, have mass but no length here.)
const ANKLE: f64 = 0.039;
const KNEE: f64 = 0.285;
const HIP: f64 = 0.530;
const SHOULDER: f64 = 0.818;
const CHIN: f64 = 0.870;
const SHOULDER_WIDTH: f64 = 0.259;
const HIP_WIDTH: f64 = 0.191;
const UPPER_ARM: f64 = 0.186;
const FOREARM: f64 = 0.146;
const THIGH: f64 = HIP - KNEE;
const SHANK: f64 = KNEE - ANKLE;
const HEAD_RADIUS: f64 = (1.0 - CHIN) / 2.0;
const HEAD: f64 = 1.0 - HEAD_RADIUS;
/// Mean density of a body, kg/m³ (Winter, table 4.1: from 1030 for the trunk to 1140 for forearm and hand).
/// The radius of a limb is that of a cylinder with the mass and length of its segment.
const DENSITY: f64 = 1050.0;
/// Height of the particle `back` above the hips, and its distance behind them, as fractions of the height
/// of the body. This particle gives the trunk a volume, and distinguishes front and back.
const BACK: f64 = 0.06;

/// The mass of a segment of the body as a fraction of the whole mass, and the position of its centre of
/// mass as a fraction of the way from its upper to its lower end (Dempster, "Space requirements of the
/// seated operator", 1955, as printed in Winter, table 4.1: the rows "forearm and hand" and "foot and
/// leg").
struct Segment {
    mass: f64,
    centre: f64,
}
const UPPER_ARM_SEGMENT: Segment = Segment { mass: 0.028, centre: 0.436 };
const FOREARM_SEGMENT: Segment = Segment { mass: 0.022, centre: 0.682 };
const THIGH_SEGMENT: Segment = Segment { mass: 0.100, centre: 0.433 };
const SHANK_SEGMENT: Segment = Segment { mass: 0.061, centre: 0.606 };
/// The mass of head and neck; all of it is in the middle of the head, at the ear.
const HEAD_MASS: f64 = 0.081;
/// The mass of the trunk; in 2D its centre is half-way between shoulders and pelvis.
const TRUNK_MASS: f64 = 0.497;
// Fractions of the mass of the trunk in 3D: at each shoulder, at each hip, at the neck, at the back.
const SHOULDER_FRACTION: f64 = 0.20;
const HIP_FRACTION: f64 = 0.21;
const NECK_FRACTION: f64 = 0.08;
const BACK_FRACTION: f64 = 0.10;

/// The parameters of a ragdoll.
///
/// The default is 1.75 m tall and has a mass of 70 kg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ragdoll {
    /// Height when standing straight, m.
    pub height: f32,
    /// Mass, kg.
    pub mass: f32,
    /// Stiffness of the posture sticks, from 0 (no such sticks) to 1. They are not drawn, lead from
    /// feet to shoulders and from hips to head, and push the ragdoll back into its posture. 0.01 avoids
    /// unnatural poses; a much larger value makes the ragdoll stiff.
    pub posture: f32,
}

impl Default for Ragdoll {
    fn default() -> Self {
        Self { height: 1.75, mass: 70.0, posture: 0.01 }
    }
}

/// A joint limit: one-sided sticks between two particles keep the angle between them at the joint
/// from `min` to `max`. Their lengths follow from the law of cosines ("fake-angle constraints":
/// "Simulate Fabric and Ragdolls With Simple Verlet Integration", Envato Tuts+).
///
/// The length of a stick does not distinguish left and right. So the angle has no sign: a knee
/// bends forward as far as backward. Limits that distinguish front and back are angles between a leg
/// and the particle `back` of the trunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimit {
    /// The group of the particle at the joint, the vertex of the angle.
    pub joint: &'static str,
    /// The groups of the particles on the two sides of the angle.
    pub between: [&'static str; 2],
    /// The smallest angle, degrees; 0 for no limit.
    pub min: f64,
    /// The largest angle, degrees; 180 for no limit.
    pub max: f64,
}

const fn limit(
    joint: &'static str,
    between: [&'static str; 2],
    [min, max]: [f64; 2],
) -> JointLimit {
    JointLimit { joint, between, min, max }
}

// Ranges of joints: American Academy of Orthopaedic Surgeons, "Joint Motion: Method of Measuring
// and Recording", 1965: elbow 0 to 150, knee 0 to 135, hip 120 forward, 30 back, 45 out, 30 in,
// neck 45 to all sides. In the limits below, a straight arm or leg has an angle of 180. Arms and legs
// are kept 2 degrees from straight, because relaxation cannot bend sticks that lie in one line.
const ELBOW: [f64; 2] = [30.0, 178.0];
const KNEE_ANGLE: [f64; 2] = [45.0, 178.0];

impl Ragdoll {
    /// The limits of the joints in two dimensions.
    pub const LIMITS_2D: &[JointLimit] = &[
        limit("left elbow", ["shoulders", "left hand"], ELBOW),
        limit("right elbow", ["shoulders", "right hand"], ELBOW),
        limit("left knee", ["pelvis", "left foot"], KNEE_ANGLE),
        limit("right knee", ["pelvis", "right foot"], KNEE_ANGLE),
        limit("pelvis", ["shoulders", "left knee"], [60.0, 180.0]),
        limit("pelvis", ["shoulders", "right knee"], [60.0, 180.0]),
        limit("shoulders", ["pelvis", "head"], [135.0, 180.0]),
    ];

    /// The limits of the joints in three dimensions.
    pub const LIMITS_3D: &[JointLimit] = &[
        limit("left elbow", ["left shoulder", "left hand"], ELBOW),
        limit("right elbow", ["right shoulder", "right hand"], ELBOW),
        limit("left knee", ["left hip", "left foot"], KNEE_ANGLE),
        limit("right knee", ["right hip", "right foot"], KNEE_ANGLE),
        // A leg stays in a cone about the direction from the back to its hip, which points outwards and,
        // seen from the side, 45 degrees forward of down: about 120 degrees forward, 30 back and 20
        // inwards. The angle to the other hip limits it to 45 degrees outwards.
        limit("left hip", ["back", "left knee"], [100.0, 180.0]),
        limit("right hip", ["back", "right knee"], [100.0, 180.0]),
        limit("left hip", ["right hip", "left knee"], [0.0, 135.0]),
        limit("right hip", ["left hip", "right knee"], [0.0, 135.0]),
        // How far an arm reaches across the chest.
        limit("left shoulder", ["right shoulder", "left elbow"], [45.0, 180.0]),
        limit("right shoulder", ["left shoulder", "right elbow"], [45.0, 180.0]),
        // How far the head tilts to any side.
        limit("neck", ["left hip", "head"], [130.0, 180.0]),
        limit("neck", ["right hip", "head"], [130.0, 180.0]),
    ];
}

// Angles between each segment and the downward direction in the initial posture, degrees: outward and
// forward.
const UPPER_ARM_POSE: [f64; 2] = [15.0, -5.0];
const FOREARM_POSE: [f64; 2] = [8.0, 15.0];
const THIGH_POSE: [f64; 2] = [4.0, 8.0];
const SHANK_POSE: [f64; 2] = [1.0, -4.0];

impl Model<2> {
    /// A ragdoll in 2D, seen from the front. It stands at the origin with knees and elbows slightly
    /// bent. Both arms begin at one point between the shoulders, and both legs at the pelvis ("Simulate
    /// Fabric and Ragdolls With Simple Verlet Integration", Envato Tuts+).
    ///
    /// Each group has one particle: `head`, `shoulders`, `pelvis`, and with the prefix `left`
    /// (towards +x) or `right`: `elbow`, `hand`, `knee`, `foot`. All segments are
    /// [limbs](Model::limbs) with a radius. The radius of a particle is that of the thinnest limb
    /// there; of a foot, the height of the ankle. Segments are rigid, and [`Ragdoll::LIMITS_2D`] limits
    /// the joints.
    ///
    /// ```
    /// use taut_world::{Model, Ragdoll};
    ///
    /// let child = Ragdoll { height: 1.2, mass: 25.0, ..Ragdoll::default() };
    /// let child = Model::<2>::ragdoll(&child)?;
    /// let head = child.groups["head"][0] as usize;
    /// assert!(child.particles.position(head)[1] + child.radii[head] < 1.2);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// A height or mass that is not above 0 and finite, a posture outside 0 to 1, particles of less
    /// than 1e-9 or more than 1e9 kg, or a distance between them that is out of range.
    pub fn ragdoll(ragdoll: &Ragdoll) -> Result<Self, ModelError> {
        let mut doll = RagdollBuilder::new(ragdoll)?;
        let direction = |pose: [f64; 2], side: f64| {
            // A segment that leans forward in 3D leans outward here.
            let (sine, cosine) = libm::sincos((pose[0] + pose[1]).to_radians());
            [side * sine, -cosine]
        };
        let pelvis = doll.add_particle("pelvis", [0.0, HIP]);
        let shoulders = doll.add_particle("shoulders", [0.0, SHOULDER]);
        let head = doll.add_particle("head", [0.0, HEAD]);
        doll.add_mass([shoulders, pelvis], &Segment { mass: TRUNK_MASS, centre: 0.5 });
        doll.add_mass([shoulders, head], &Segment { mass: HEAD_MASS, centre: 1.0 });
        doll.add_drawn_stick([shoulders, pelvis]);
        doll.add_drawn_stick([shoulders, head]);
        for (name, side) in SIDES {
            let [_, foot] = doll.add_leg(
                name,
                pelvis,
                [THIGH_POSE, SHANK_POSE].map(|pose| direction(pose, side)),
            );
            doll.add_arm(
                name,
                shoulders,
                [UPPER_ARM_POSE, FOREARM_POSE].map(|pose| direction(pose, side)),
            );
            doll.add_posture_stick([foot, shoulders]);
        }
        doll.add_posture_stick([pelvis, head]);
        doll.build(Ragdoll::LIMITS_2D)
    }
}

impl Model {
    /// A ragdoll that stands at the origin and faces +z, with knees and elbows slightly bent (after
    /// Jakobsen, "Advanced Character Physics", 2001).
    ///
    /// The trunk is rigid: shoulders, hips, neck and back are all joined to each other. Each
    /// group has one particle: `head`, `neck`, `back`, and with the prefix `left` (towards +x) or
    /// `right`: `shoulder`, `elbow`, `hand`, `hip`, `knee`, `foot`. All segments are
    /// [limbs](Model::limbs) with a radius. The radius of a particle is that of the thinnest limb
    /// there; of a foot, the height of the ankle. Segments are rigid, and [`Ragdoll::LIMITS_3D`] limits
    /// the joints.
    ///
    /// ```
    /// use taut_world::{Model, Ragdoll};
    ///
    /// let falling = Model::<3>::ragdoll(&Ragdoll::default())?
    ///     .turned([1.0, 0.0, 0.0], 1.0)? // leans forward by 57 degrees
    ///     .moved([0.0, 10.0, 0.0])
    ///     .named("bob");
    /// assert!((falling.mass() - 70.0).abs() < 1e-4);
    /// assert!(falling.groups.contains_key("bob left hand"));
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// A height or mass that is not above 0 and finite, a posture outside 0 to 1, particles of less
    /// than 1e-9 or more than 1e9 kg, or a distance between them that is out of range.
    pub fn ragdoll(ragdoll: &Ragdoll) -> Result<Self, ModelError> {
        let mut doll = RagdollBuilder::new(ragdoll)?;
        let direction = |[out, forward]: [f64; 2], side: f64| {
            let (out, forward) = (out.to_radians(), forward.to_radians());
            let in_plane = libm::cos(forward);
            [side * libm::sin(out) * in_plane, -libm::cos(out) * in_plane, libm::sin(forward)]
        };
        let neck = doll.add_particle("neck", [0.0, SHOULDER, 0.0]);
        let back = doll.add_particle("back", [0.0, HIP + BACK, -BACK]);
        let head = doll.add_particle("head", [0.0, HEAD, 0.0]);
        let mut trunk = vec![neck, back];
        for (name, side) in SIDES {
            let hip = doll.add_particle(&format!("{name} hip"), [side * HIP_WIDTH / 2.0, HIP, 0.0]);
            let shoulder = doll.add_particle(
                &format!("{name} shoulder"),
                [side * SHOULDER_WIDTH / 2.0, SHOULDER, 0.0],
            );
            trunk.extend([hip, shoulder]);
            let trunk_side = Segment {
                mass: (SHOULDER_FRACTION + HIP_FRACTION) * TRUNK_MASS,
                centre: HIP_FRACTION / (SHOULDER_FRACTION + HIP_FRACTION),
            };
            doll.add_mass([shoulder, hip], &trunk_side);
            let [_, foot] =
                doll.add_leg(name, hip, [THIGH_POSE, SHANK_POSE].map(|pose| direction(pose, side)));
            doll.add_arm(
                name,
                shoulder,
                [UPPER_ARM_POSE, FOREARM_POSE].map(|pose| direction(pose, side)),
            );
            doll.add_posture_stick([foot, shoulder]);
            doll.add_posture_stick([hip, head]);
        }
        let trunk_middle = Segment {
            mass: (NECK_FRACTION + BACK_FRACTION) * TRUNK_MASS,
            centre: BACK_FRACTION / (NECK_FRACTION + BACK_FRACTION),
        };
        doll.add_mass([neck, back], &trunk_middle);
        doll.add_mass([neck, head], &Segment { mass: HEAD_MASS, centre: 1.0 });
        doll.add_drawn_stick([neck, head]);
        for (nth, &one) in trunk.iter().enumerate() {
            for &other in &trunk[nth + 1..] {
                doll.add_drawn_stick([one, other]);
            }
        }
        doll.build(Ragdoll::LIMITS_3D)
    }
}

/// The prefixes of groups, and the sign of x on that side.
const SIDES: [(&str, f64); 2] = [("left", 1.0), ("right", -1.0)];

/// A ragdoll under construction, in units of its height and mass.
struct RagdollBuilder<'a, const D: usize> {
    builder: ModelBuilder<D>,
    /// The group of each particle.
    names: Vec<String>,
    /// The ends of posture sticks: hidden sticks that push the ragdoll back into its posture.
    posture: Vec<[u32; 2]>,
    /// The ends of segments, and their fractions of the mass.
    segments: Vec<([u32; 2], f64)>,
    ragdoll: &'a Ragdoll,
}

impl<'a, const D: usize> RagdollBuilder<'a, D> {
    fn new(ragdoll: &'a Ragdoll) -> Result<Self, ModelError> {
        check_positive("height", "the height of a ragdoll, m,", ragdoll.height)?;
        check_positive("mass", "the mass of a ragdoll, kg,", ragdoll.mass)?;
        check_fraction("posture", "the stiffness of a ragdoll's posture", ragdoll.posture)?;
        Ok(Self {
            builder: ModelBuilder::new(),
            names: Vec::new(),
            posture: Vec::new(),
            segments: Vec::new(),
            ragdoll,
        })
    }

    /// Adds a particle without mass, with a group of its own.
    fn add_particle(&mut self, name: &str, position: [f64; D]) -> u32 {
        self.names.push(name.to_owned());
        self.builder.add_particle(position, 0.0)
    }

    /// Adds the mass of a segment to its two ends, divided so that its centre of mass is right.
    fn add_mass(&mut self, [upper, lower]: [u32; 2], segment: &Segment) {
        self.builder.masses[upper as usize] += segment.mass * (1.0 - segment.centre);
        self.builder.masses[lower as usize] += segment.mass * segment.centre;
        self.segments.push(([upper, lower], segment.mass));
    }

    /// Joins two particles by a rigid stick, which is drawn.
    fn add_drawn_stick(&mut self, ends: [u32; 2]) {
        self.builder.join(ends);
    }

    /// Adds a posture stick.
    fn add_posture_stick(&mut self, ends: [u32; 2]) {
        self.posture.push(ends);
    }

    /// Adds a leg below a hip, in the directions of thigh and shank. Returns knee and foot.
    fn add_leg(&mut self, side: &str, hip: u32, directions: [[f64; D]; 2]) -> [u32; 2] {
        let segments = [(THIGH, THIGH_SEGMENT), (SHANK, SHANK_SEGMENT)];
        self.add_segments(
            hip,
            [format!("{side} knee"), format!("{side} foot")],
            directions,
            segments,
        )
    }

    /// Adds an arm below a shoulder, in the directions of upper arm and forearm. Returns elbow and
    /// hand.
    fn add_arm(&mut self, side: &str, shoulder: u32, directions: [[f64; D]; 2]) -> [u32; 2] {
        let segments = [(UPPER_ARM, UPPER_ARM_SEGMENT), (FOREARM, FOREARM_SEGMENT)];
        self.add_segments(
            shoulder,
            [format!("{side} elbow"), format!("{side} hand")],
            directions,
            segments,
        )
    }

    /// Adds the two segments of a leg or an arm. Returns their lower ends.
    fn add_segments(
        &mut self,
        mut from: u32,
        names: [String; 2],
        directions: [[f64; D]; 2],
        segments: [(f64, Segment); 2],
    ) -> [u32; 2] {
        let mut parts = names.into_iter().zip(directions).zip(segments);
        core::array::from_fn(|_| {
            let Some(((name, direction), (length, segment))) = parts.next() else { return from };
            let position = sum(self.builder.points[from as usize], scaled(direction, length));
            let to = self.add_particle(&name, position);
            self.add_mass([from, to], &segment);
            self.add_drawn_stick([from, to]);
            from = to;
            to
        })
    }

    /// Adds joint limits and posture sticks (marked as bending sticks, so that tethers do not measure
    /// distances along them), scales the body to its height and mass, and puts the feet on the ground.
    fn build(mut self, limits: &[JointLimit]) -> Result<Model<D>, ModelError> {
        let height = f64::from(self.ragdoll.height);
        let index_of = |names: &[String], name: &str| names.iter().position(|other| other == name);
        for limit in limits {
            let [one, other] = limit.between;
            let found = [limit.joint, one, other].map(|name| index_of(&self.names, name));
            let [Some(joint), Some(one), Some(other)] = found else { continue };
            let [joint, one, other] = [joint, one, other].map(|particle| particle as u32);
            let sides = [[joint, one], [joint, other]].map(|ends| self.builder.distance(ends));
            for (angle, kind) in [(limit.min, Kind::Minimum), (limit.max, Kind::Maximum)] {
                if angle > 0.0 && angle < 180.0 {
                    let stick = self.builder.join([one, other]);
                    stick.rest = third_side(sides, angle.to_radians());
                    stick.kind = kind;
                    stick.hidden = true;
                    stick.bending = true;
                }
            }
        }
        if self.ragdoll.posture > 0.0 {
            for ends in core::mem::take(&mut self.posture) {
                let stick = self.builder.join(ends);
                stick.stiffness = self.ragdoll.posture;
                stick.hidden = true;
                stick.bending = true;
            }
        }
        let lowest = self.builder.points.iter().map(|point| point[1]).fold(f64::INFINITY, f64::min);
        for point in &mut self.builder.points {
            point[1] += ANKLE - lowest;
            *point = scaled(*point, height);
        }
        for stick in &mut self.builder.sticks {
            stick.rest *= height;
        }
        for mass in &mut self.builder.masses {
            *mass *= f64::from(self.ragdoll.mass);
        }
        let mass = f64::from(self.ragdoll.mass);
        let limbs = self.segments.iter().map(|&(ends, fraction)| {
            let [_, lower] = ends;
            if self.names[lower as usize] == "head" {
                return ([lower; 2], (HEAD_RADIUS * height) as f32);
            }
            let cross_section = fraction * mass / (DENSITY * self.builder.distance(ends));
            (ends, libm::sqrt(cross_section / core::f64::consts::PI) as f32)
        });
        let limbs: Vec<([u32; 2], f32)> = limbs.collect();
        // The radius of a particle is that of the thinnest limb there; of a foot, the height of the
        // ankle, so that the ragdoll stands on the ground.
        let radius = |particle: usize, name: &str| {
            let attached = limbs.iter().filter(|(ends, _)| ends.contains(&(particle as u32)));
            let thinnest = attached.map(|&(_, radius)| radius).reduce(f32::min);
            let foot = name.ends_with("foot").then_some((ANKLE * height) as f32);
            foot.or(thinnest).unwrap_or_default()
        };
        let radii =
            self.names.iter().enumerate().map(|(particle, name)| radius(particle, name)).collect();
        for (particle, name) in self.names.iter().enumerate() {
            self.builder.add_to_group(name, [particle as u32]);
        }
        let model = self.builder.build()?.with_limbs(limbs)?;
        Ok(Model { radii, kind: Some(ModelKind::Ragdoll), ..model })
    }
}

/// The third side of a triangle, from two sides and the angle between them (the law of cosines).
fn third_side([a, b]: [f64; 2], angle: f64) -> f64 {
    libm::sqrt(a * a + b * b - 2.0 * a * b * libm::cos(angle))
}
