//! Ragdolls: bodies of human proportions with joint limits.

use taut_core::Kind;

use super::parts::{Parts, positive, share};
use super::{Model, ModelError};
use crate::drawing::Look;
use crate::vector::{scaled, sum};

// Heights and lengths as shares of the body's height: Drillis and Contini, "Body Segment
// Parameters", New York University 1966, as printed in Winter, "Biomechanics and Motor Control of
// Human Movement", figure 4.1. (A hand here is at the wrist, and a foot at the ankle: real hands
// and feet, 0.108 and 0.152 of the height, have mass here but no length.)
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
/// The mean density of a body, kg/m³ (by Winter, table 4.1, from 1.03 of the trunk to 1.13 of
/// forearms, in kg/l): limbs are as thick as cylinders of their mass and length.
const DENSITY: f64 = 1050.0;
/// Height of the lower back above the hips, and its distance behind them: it makes the trunk a
/// solid, and tells front from back.
const BACK: f64 = 0.06;

/// A segment of the body: its share of the mass, and its centre as a share of the way from its
/// upper end to its lower one (Dempster, "Space requirements of the seated operator", 1955, as
/// printed in Winter, table 4.1; hands are part of forearms there, and feet of shanks).
struct Segment {
    mass: f64,
    centre: f64,
}
const UPPER_ARM_MASS: Segment = Segment { mass: 0.028, centre: 0.436 };
const FOREARM_MASS: Segment = Segment { mass: 0.022, centre: 0.682 };
const THIGH_MASS: Segment = Segment { mass: 0.100, centre: 0.433 };
const SHANK_MASS: Segment = Segment { mass: 0.061, centre: 0.606 };
/// Head and neck: all of it at the ear, which is the middle of the head.
const HEAD_MASS: f64 = 0.081;
/// The trunk, its centre half-way between shoulders and hips; in 3D its particles have these
/// shares.
const TRUNK_MASS: f64 = 0.497;
const OF_SHOULDER: f64 = 0.20;
const OF_HIP: f64 = 0.21;
const OF_NECK: f64 = 0.08;
const OF_BACK: f64 = 0.10;

/// The parameters of a ragdoll.
///
/// The default is 1.75 m high and weighs 70 kg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ragdoll {
    /// Height when standing straight, m.
    pub height: f32,
    /// Its mass, kg.
    pub mass: f32,
    /// The stiffness of the unseen sticks from feet to shoulders and from hips to head that push it
    /// back into its posture, from 0 (there are none) to 1. 0.01 avoids awkward shapes; much more
    /// makes it stiff like a puppet.
    pub posture: f32,
}

impl Default for Ragdoll {
    fn default() -> Self {
        Self { height: 1.75, mass: 70.0, posture: 0.01 }
    }
}

/// A joint limit: the angle at the joint between two other particles is kept from `least` to `most`
/// by one-sided sticks between those two, with lengths by the law of cosines ("fake-angle
/// constraints": "Simulate Fabric and Ragdolls With Simple Verlet Integration", Envato Tuts+).
///
/// A stick's length does not tell left from right: the angle has no sign, so a knee bends forward
/// as far as backward. Limits that tell front from back are measured against the `back` of the
/// trunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimit {
    /// The group of the joint.
    pub joint: &'static str,
    /// The groups that form the angle.
    pub between: [&'static str; 2],
    /// The least angle, degrees; 0 if there is none.
    pub least: f64,
    /// The greatest angle, degrees; 180 if there is none.
    pub most: f64,
}

const fn limit(
    joint: &'static str,
    between: [&'static str; 2],
    [least, most]: [f64; 2],
) -> JointLimit {
    JointLimit { joint, between, least, most }
}

// Ranges of joints: American Academy of Orthopaedic Surgeons, "Joint Motion: Method of Measuring
// and Recording", 1965: elbow 0 to 150, knee 0 to 135, hip 120 forward, 30 back, 45 out, 30 in,
// neck 45 to all sides. A straight limb is 180 here. Limbs are kept 2 degrees from straight, so
// that their sticks never lie in one line, along which relaxation cannot bend them.
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
        // A leg stays in a cone about a direction 45 degrees forward of down, opposite the back:
        // about 120 degrees forward, 30 back and 20 in; and a limit outwards.
        limit("left hip", ["back", "left knee"], [100.0, 180.0]),
        limit("right hip", ["back", "right knee"], [100.0, 180.0]),
        limit("left hip", ["right hip", "left knee"], [0.0, 135.0]),
        limit("right hip", ["left hip", "right knee"], [0.0, 135.0]),
        // An arm across the breast.
        limit("left shoulder", ["right shoulder", "left elbow"], [45.0, 180.0]),
        limit("right shoulder", ["left shoulder", "right elbow"], [45.0, 180.0]),
        // The head, to all sides.
        limit("neck", ["left hip", "head"], [130.0, 180.0]),
        limit("neck", ["right hip", "head"], [130.0, 180.0]),
    ];
}

/// Angles of limbs in the initial posture, degrees: outward and forward.
const UPPER_ARM_POSE: [f64; 2] = [15.0, -5.0];
const FOREARM_POSE: [f64; 2] = [8.0, 15.0];
const THIGH_POSE: [f64; 2] = [4.0, 8.0];
const SHANK_POSE: [f64; 2] = [1.0, -4.0];

impl Model<2> {
    /// A ragdoll in the plane, seen from the front, that stands at the origin, knees and elbows
    /// slightly bent (as in "Simulate Fabric and Ragdolls With Simple Verlet Integration", Envato
    /// Tuts+: each arm hangs on one point between the shoulders, and each leg on the pelvis).
    ///
    /// Groups name a particle each: `head`, `shoulders`, `pelvis`; and with `left` and `right`
    /// before it (its own left is to the right) `elbow`, `hand`, `knee`, `foot`. All
    /// limbs are [thick](Model::limbs), and joints as thick as the thinnest limb there. Limbs are
    /// rigid; joints bend as [`Ragdoll::LIMITS_2D`] says.
    ///
    /// ```
    /// use taut_world::{Model, Ragdoll};
    ///
    /// let child = Model::<2>::ragdoll(&Ragdoll { height: 1.2, mass: 25.0, ..Ragdoll::default() })?;
    /// let head = child.groups["head"][0] as usize;
    /// assert!(child.particles.position(head)[1] + child.radii[head] < 1.2);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// A height or mass that is not above 0 and finite, a posture outside 0 to 1, particles of
    /// less than 1e-9 or more than 1e9 kg or of no sane distance.
    pub fn ragdoll(ragdoll: &Ragdoll) -> Result<Self, ModelError> {
        let mut body = Builder::new(ragdoll)?;
        let flat = |pose: [f64; 2], side: f64| {
            // Seen from the front, a limb bent forward looks bent outward.
            let (sine, cosine) = libm::sincos((pose[0] + pose[1]).to_radians());
            [side * sine, -cosine]
        };
        let pelvis = body.part("pelvis", [0.0, HIP]);
        let shoulders = body.part("shoulders", [0.0, SHOULDER]);
        let head = body.part("head", [0.0, HEAD]);
        body.weigh([shoulders, pelvis], &Segment { mass: TRUNK_MASS, centre: 0.5 });
        body.weigh([shoulders, head], &Segment { mass: HEAD_MASS, centre: 1.0 });
        body.bone([shoulders, pelvis]);
        body.bone([shoulders, head]);
        for (name, side) in SIDES {
            let [_, foot] =
                body.leg(name, pelvis, [THIGH_POSE, SHANK_POSE].map(|it| flat(it, side)));
            body.arm(name, shoulders, [UPPER_ARM_POSE, FOREARM_POSE].map(|it| flat(it, side)));
            body.posture([foot, shoulders]);
        }
        body.posture([pelvis, head]);
        body.finish(Ragdoll::LIMITS_2D)
    }
}

impl Model {
    /// A ragdoll that stands at the origin and looks to +z, knees and elbows slightly bent
    /// (after Jakobsen, "Advanced Character Physics", 2001).
    ///
    /// Its trunk is a rigid frame: shoulders, hips, neck and back, each joined to each. Groups name
    /// a particle each: `head`, `neck`, `back`; and with `left` (+x) and `right` before it
    /// `shoulder`, `elbow`, `hand`, `hip`, `knee`, `foot`. All limbs are [thick](Model::limbs), and
    /// joints as thick as the thinnest limb there. Limbs are rigid; joints bend as
    /// [`Ragdoll::LIMITS_3D`] says.
    ///
    /// ```
    /// use taut_world::{Model, Ragdoll};
    ///
    /// let falling = Model::<3>::ragdoll(&Ragdoll::default())?
    ///     .turned([1.0, 0.0, 0.0], 1.0)? // on its face
    ///     .moved([0.0, 10.0, 0.0])
    ///     .named("bob");
    /// assert!((falling.mass() - 70.0).abs() < 1e-4);
    /// assert!(falling.groups.contains_key("bob left hand"));
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// A height or mass that is not above 0 and finite, a posture outside 0 to 1, particles of
    /// less than 1e-9 or more than 1e9 kg or of no sane distance.
    pub fn ragdoll(ragdoll: &Ragdoll) -> Result<Self, ModelError> {
        let mut body = Builder::new(ragdoll)?;
        let solid = |[out, forward]: [f64; 2], side: f64| {
            let (out, forward) = (out.to_radians(), forward.to_radians());
            let level = libm::cos(forward);
            [side * libm::sin(out) * level, -libm::cos(out) * level, libm::sin(forward)]
        };
        let neck = body.part("neck", [0.0, SHOULDER, 0.0]);
        let back = body.part("back", [0.0, HIP + BACK, -BACK]);
        let head = body.part("head", [0.0, HEAD, 0.0]);
        let mut frame = vec![neck, back];
        for (name, side) in SIDES {
            let hip = body.part(&format!("{name} hip"), [side * HIP_WIDTH / 2.0, HIP, 0.0]);
            let shoulder = body
                .part(&format!("{name} shoulder"), [side * SHOULDER_WIDTH / 2.0, SHOULDER, 0.0]);
            frame.extend([hip, shoulder]);
            let of_side = Segment {
                mass: (OF_SHOULDER + OF_HIP) * TRUNK_MASS,
                centre: OF_HIP / (OF_SHOULDER + OF_HIP),
            };
            body.weigh([shoulder, hip], &of_side);
            let [_, foot] = body.leg(name, hip, [THIGH_POSE, SHANK_POSE].map(|it| solid(it, side)));
            body.arm(name, shoulder, [UPPER_ARM_POSE, FOREARM_POSE].map(|it| solid(it, side)));
            body.posture([foot, shoulder]);
            body.posture([hip, head]);
        }
        let of_middle = Segment {
            mass: (OF_NECK + OF_BACK) * TRUNK_MASS,
            centre: OF_BACK / (OF_NECK + OF_BACK),
        };
        body.weigh([neck, back], &of_middle);
        body.weigh([neck, head], &Segment { mass: HEAD_MASS, centre: 1.0 });
        body.bone([neck, head]);
        for (nth, &one) in frame.iter().enumerate() {
            for &other in &frame[nth + 1..] {
                body.bone([one, other]);
            }
        }
        body.finish(Ragdoll::LIMITS_3D)
    }
}

const SIDES: [(&str, f64); 2] = [("left", 1.0), ("right", -1.0)];

/// A ragdoll under construction, in shares of its height and mass.
struct Builder<'a, const D: usize> {
    parts: Parts<D>,
    names: Vec<String>,
    posture: Vec<[u32; 2]>,
    /// The ends of segments, and their shares of the mass.
    segments: Vec<([u32; 2], f64)>,
    ragdoll: &'a Ragdoll,
}

impl<'a, const D: usize> Builder<'a, D> {
    fn new(ragdoll: &'a Ragdoll) -> Result<Self, ModelError> {
        positive("height", "the height of a ragdoll, m,", ragdoll.height)?;
        positive("mass", "the mass of a ragdoll, kg,", ragdoll.mass)?;
        share("posture", "the stiffness of a ragdoll's posture", ragdoll.posture)?;
        Ok(Self {
            parts: Parts::new(),
            names: Vec::new(),
            posture: Vec::new(),
            segments: Vec::new(),
            ragdoll,
        })
    }

    fn part(&mut self, name: &str, at: [f64; D]) -> u32 {
        self.names.push(name.to_owned());
        self.parts.particle(at, 0.0)
    }

    /// Distributes the mass of a segment to its ends according to its centre.
    fn weigh(&mut self, [upper, lower]: [u32; 2], segment: &Segment) {
        self.parts.masses[upper as usize] += segment.mass * (1.0 - segment.centre);
        self.parts.masses[lower as usize] += segment.mass * segment.centre;
        self.segments.push(([upper, lower], segment.mass));
    }

    fn bone(&mut self, ends: [u32; 2]) {
        self.parts.join(ends);
    }

    fn posture(&mut self, ends: [u32; 2]) {
        self.posture.push(ends);
    }

    fn leg(&mut self, side: &str, hip: u32, directions: [[f64; D]; 2]) -> [u32; 2] {
        let segments = [(THIGH, THIGH_MASS), (SHANK, SHANK_MASS)];
        self.limb(hip, [format!("{side} knee"), format!("{side} foot")], directions, segments)
    }

    fn arm(&mut self, side: &str, shoulder: u32, directions: [[f64; D]; 2]) -> [u32; 2] {
        let segments = [(UPPER_ARM, UPPER_ARM_MASS), (FOREARM, FOREARM_MASS)];
        self.limb(shoulder, [format!("{side} elbow"), format!("{side} hand")], directions, segments)
    }

    fn limb(
        &mut self,
        mut from: u32,
        names: [String; 2],
        directions: [[f64; D]; 2],
        segments: [(f64, Segment); 2],
    ) -> [u32; 2] {
        let mut bones = names.into_iter().zip(directions).zip(segments);
        core::array::from_fn(|_| {
            let Some(((name, direction), (length, segment))) = bones.next() else { return from };
            let at = sum(self.parts.points[from as usize], scaled(direction, length));
            let to = self.part(&name, at);
            self.weigh([from, to], &segment);
            self.bone([from, to]);
            from = to;
            to
        })
    }

    /// Adds joint limits, scales to size, and puts the feet on the ground.
    fn finish(mut self, limits: &[JointLimit]) -> Result<Model<D>, ModelError> {
        let height = f64::from(self.ragdoll.height);
        let named = |names: &[String], name: &str| names.iter().position(|other| other == name);
        for limit in limits {
            let [one, other] = limit.between;
            let found = [limit.joint, one, other].map(|name| named(&self.names, name));
            let [Some(joint), Some(one), Some(other)] = found else { continue };
            let [joint, one, other] = [joint, one, other].map(|particle| particle as u32);
            let sides = [[joint, one], [joint, other]].map(|ends| self.parts.distance(ends));
            for (angle, kind) in [(limit.least, Kind::Minimum), (limit.most, Kind::Maximum)] {
                if angle > 0.0 && angle < 180.0 {
                    let stick = self.parts.join([one, other]);
                    stick.rest = across(sides, angle.to_radians());
                    stick.kind = kind;
                    stick.unseen = true;
                    stick.bending = true;
                }
            }
        }
        if self.ragdoll.posture > 0.0 {
            for ends in core::mem::take(&mut self.posture) {
                let stick = self.parts.join(ends);
                stick.stiffness = self.ragdoll.posture;
                stick.unseen = true;
                stick.bending = true;
            }
        }
        let lowest = self.parts.points.iter().map(|point| point[1]).fold(f64::INFINITY, f64::min);
        for point in &mut self.parts.points {
            point[1] += ANKLE - lowest;
            *point = scaled(*point, height);
        }
        for stick in &mut self.parts.sticks {
            stick.rest *= height;
        }
        for mass in &mut self.parts.masses {
            *mass *= f64::from(self.ragdoll.mass);
        }
        let mass = f64::from(self.ragdoll.mass);
        let limbs = self.segments.iter().map(|&(ends, share)| {
            let [_, lower] = ends;
            if self.names[lower as usize] == "head" {
                return ([lower; 2], (HEAD_RADIUS * height) as f32);
            }
            let area = share * mass / (DENSITY * self.parts.distance(ends));
            (ends, libm::sqrt(area / core::f64::consts::PI) as f32)
        });
        let limbs: Vec<([u32; 2], f32)> = limbs.collect();
        // Joints are as thick as the thinnest limb there.
        let radius = |particle: usize, name: &str| {
            let here = limbs.iter().filter(|(ends, _)| ends.contains(&(particle as u32)));
            let thinnest = here.map(|&(_, radius)| radius).reduce(f32::min);
            let foot = name.ends_with("foot").then_some((ANKLE * height) as f32);
            foot.or(thinnest).unwrap_or_default()
        };
        let radii = self.names.iter().enumerate().map(|(it, name)| radius(it, name)).collect();
        for (particle, name) in self.names.iter().enumerate() {
            self.parts.name(name, [particle as u32]);
        }
        let body = self.parts.finish()?.with_limbs(limbs)?;
        Ok(Model { radii, look: Some(Look::Ragdoll), ..body })
    }
}

/// The third side of a triangle by two sides and the angle between them (the law of cosines).
fn across([a, b]: [f64; 2], angle: f64) -> f64 {
    libm::sqrt(a * a + b * b - 2.0 * a * b * libm::cos(angle))
}
