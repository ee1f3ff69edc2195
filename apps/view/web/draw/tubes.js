// Tubes with round ends: ropes, ties, stems, limbs and heads. They are made from sticks and particles, once for each
// topology; shaders read the positions of their ends.

/** The radius of a rope and of a limb, as a fraction of the median length of their sticks. */
const ROPE_RADIUS = 0.11;
const LIMB_RADIUS = 0.15;
/**
 * The radius of a twig of a plant, as a fraction of the median length of its sticks. The cross-section of a branch is
 * the sum of the cross-sections of all twigs that it carries.
 */
const TWIG_RADIUS = 0.014;

/**
 * A list of tubes. Each has the particles at its two ends, the radii there, m, the stick that it shows (-1 if none) and
 * the index of its part.
 */
class Tubes {
  ends = [];
  radii = [];
  sticks = [];
  parts = [];

  push(a, b, radiusA, radiusB, stick, part) {
    this.ends.push(a, b);
    this.radii.push(radiusA, radiusB);
    this.sticks.push(stick);
    this.parts.push(part);
  }
}

/** The median; 0 if there are no values. */
const median = (values) => values.slice().sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** The visible sticks of a part, each with its rest length or, if that is 0 or unknown, its length in `positions`. */
function visibleSticks(mesh, { sticks: [first, count] }, positions) {
  const all = [];
  for (let id = first; id < first + count; id++) {
    const a = mesh.sticks[2 * id];
    const b = mesh.sticks[2 * id + 1];
    if (mesh.isHidden[id] || a === b) continue;
    const delta = [0, 1, 2].map((axis) => positions[3 * b + axis] - positions[3 * a + axis]);
    const length = mesh.rests?.[id] || Math.hypot(...delta);
    if (length >= 0) all.push({ id, a, b, length }); // NaN: a broken tie
  }
  return all;
}

/** Adds a tube for each stick of a rope. */
function addRopes(tubes, mesh, part, partIndex, positions) {
  const sticks = visibleSticks(mesh, part, positions);
  const radius = ROPE_RADIUS * median(sticks.map((stick) => stick.length));
  for (const { id, a, b } of sticks) tubes.push(a, b, radius, radius, id, partIndex);
}

/** Adds a tube for each tie. Ties are as thick as a rope whose sticks are as long as those of the models. */
function addTies(tubes, mesh, part, partIndex, positions) {
  const ties = visibleSticks(mesh, part, positions);
  // At most 1000 sticks of the models, which precede the ties.
  const some = { sticks: [0, Math.min(part.sticks[0], 1000)] };
  const lengths = visibleSticks(mesh, some, positions).map((stick) => stick.length);
  const radius = ROPE_RADIUS * median(lengths.length ? lengths : ties.map((tie) => tie.length));
  for (const { id, a, b } of ties) tubes.push(a, b, radius, radius, id, partIndex);
}

/** Adds a tube for each limb of a ragdoll. */
function addLimbs(tubes, mesh, part, partIndex, positions) {
  const sticks = visibleSticks(mesh, part, positions);
  const limbRadius = LIMB_RADIUS * median(sticks.map((stick) => stick.length));
  const degree = new Map();
  for (const { a, b } of sticks) for (const end of [a, b]) degree.set(end, (degree.get(end) ?? 0) + 1);
  // Particles with a single stick, such as hands and feet, are thinner than the other joints.
  const radius = (end) => limbRadius * (degree.get(end) === 1 ? 0.75 : 1);
  for (const { id, a, b } of sticks) tubes.push(a, b, radius(a), radius(b), id, partIndex);
}

/** Adds a tube for each stick of a plant that is not the edge of a leaf. */
function addStems(tubes, mesh, part, partIndex, positions) {
  const leafEdges = new Set();
  const [firstFace, faces] = part.faces;
  const key = (a, b) => (a < b ? `${a} ${b}` : `${b} ${a}`);
  for (let face = firstFace; face < firstFace + faces; face++) {
    const corners = mesh.faces.subarray(3 * face, 3 * face + 3);
    for (let k = 0; k < 3; k++) leafEdges.add(key(corners[k], corners[(k + 1) % 3]));
  }
  const sticks = visibleSticks(mesh, part, positions).filter(({ a, b }) => !leafEdges.has(key(a, b)));
  const neighbours = new Map();
  const join = (a, b) => neighbours.set(a, [...(neighbours.get(a) ?? []), b]);
  for (const { a, b } of sticks) {
    join(a, b);
    join(b, a);
  }
  // Finds the parent of each particle, from the roots (the pinned particles) up. Then counts, from the tips down, the
  // particles that each particle carries, itself included; each of them counts as one twig.
  const pinned = new Set(mesh.pinned);
  const [first, count] = part.particles;
  const order = [];
  const parent = new Map();
  for (let id = first; id < first + count; id++) {
    if (pinned.has(id) && neighbours.has(id)) {
      parent.set(id, id);
      order.push(id);
    }
  }
  for (let i = 0; i < order.length; i++) {
    for (const next of neighbours.get(order[i])) {
      if (!parent.has(next)) {
        parent.set(next, order[i]);
        order.push(next);
      }
    }
  }
  const twigs = new Map();
  for (const id of order.reverse()) {
    const own = (twigs.get(id) ?? 0) + 1;
    twigs.set(id, own);
    if (parent.get(id) !== id) twigs.set(parent.get(id), (twigs.get(parent.get(id)) ?? 0) + own);
  }
  const twigRadius = TWIG_RADIUS * median(sticks.map((stick) => stick.length));
  const radius = (id) => twigRadius * Math.sqrt(twigs.get(id) ?? 1);
  for (const { id, a, b } of sticks) {
    // A branch starts at most 1.4 times as thick as it ends, not with the thickness of the stem that carries it.
    const thinner = Math.min(radius(a), radius(b));
    const [ra, rb] = parent.get(b) === a ? [Math.min(radius(a), 1.4 * thinner), thinner] : [thinner, Math.min(radius(b), 1.4 * thinner)];
    tubes.push(a, b, ra, rb, id, partIndex);
  }
}

/** How the tubes of a part of each kind are added; parts of other kinds have none. */
const MAKERS = { rope: addRopes, tie: addTies, ragdoll: addLimbs, plant: addStems };

/** The first tube and the number of tubes of each part that has any. `parts`: the part of each tube, sorted. */
function spansOf(parts) {
  const spans = [];
  parts.forEach((part, i) => {
    if (part !== parts[i - 1]) spans.push([i, 0]);
    spans.at(-1)[1]++;
  });
  return spans;
}

/**
 * All tubes of a mesh with its particles at `positions`, as arrays for the GPU. `spans`: see `spansOf`; `byStick`: the
 * tube of each stick that has one.
 */
export function tubesOf(mesh, positions) {
  const tubes = new Tubes();
  mesh.parts.forEach((part, partIndex) => {
    MAKERS[part.kind]?.(tubes, mesh, part, partIndex, positions);
    const [first, count] = part.particles;
    if (!MAKERS[part.kind]) return;
    // Particles with a radius, such as heads, are balls: tubes of length 0.
    for (let id = first; id < first + count; id++) {
      const radius = mesh.radii.get(id);
      if (radius) tubes.push(id, id, radius, radius, -1, partIndex);
    }
  });
  const byStick = new Map();
  tubes.sticks.forEach((stick, tube) => stick >= 0 && byStick.set(stick, tube));
  return {
    count: tubes.sticks.length,
    ends: new Uint32Array(tubes.ends),
    radii: new Float32Array(tubes.radii),
    parts: tubes.parts,
    spans: spansOf(tubes.parts),
    byStick,
  };
}
