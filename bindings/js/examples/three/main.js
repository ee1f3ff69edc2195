// A curtain in gusts of wind, simulated by Taut and drawn by three.js.
import init, { World } from "taut";
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

const COLUMNS = 72;
const ROWS = 54;
const WIDTH = 2.4; // m
const HEIGHT = 1.8; // m
const FOLDS = 9; // waves along the top of the curtain
const FLOOR = -1.15; // m
const SCENE = `
  [step]
  substeps = 10

  [[model]]
  name = "curtain"
  cloth = { columns = ${COLUMNS}, rows = ${ROWS}, width = ${WIDTH}, height = ${HEIGHT} }
  pinned = ["top"]
  tears_at = 2.0
  tethers = {}

  [[force]]
  wind = { velocity = [0.5, 0.0, 1.9], gusts = { strength = 0.9, size = 1.2, seed = 4 } }

  [[obstacle]]
  half_space = { point = [0.0, ${FLOOR}, 0.0], normal = [0.0, 1.0, 0.0] }
  surface = { friction = 0.6, thickness = 0.01 }
`;

/** A world with the curtain. It begins in folds: narrower than the cloth by a factor of 0.82, and 2.5 cm deep to
 * each side. */
function createWorld() {
  const world = World.fromToml(SCENE);
  for (let particle = 0; particle < world.particles; particle++) {
    const [x, y] = world.position(particle);
    const phase = 2 * Math.PI * FOLDS * (x / WIDTH);
    world.setPosition(particle, 0.82 * x, y, 0.025 * Math.sin(phase));
  }
  return world;
}

await init();
let world = createWorld();

// Position and normal of each vertex, in one buffer that one call fills.
const vertices = new THREE.InterleavedBuffer(new Float32Array(6 * world.vertices), 6);
vertices.setUsage(THREE.DynamicDrawUsage);
const geometry = new THREE.BufferGeometry();
geometry.setAttribute("position", new THREE.InterleavedBufferAttribute(vertices, 3, 0));
geometry.setAttribute("normal", new THREE.InterleavedBufferAttribute(vertices, 3, 3));
geometry.setIndex(new THREE.BufferAttribute(world.triangles(), 1));
let drawingVersion = world.drawingVersion;

function updateGeometry() {
  world.interleaved(vertices.array);
  vertices.needsUpdate = true;
  if (world.drawingVersion !== drawingVersion) {
    drawingVersion = world.drawingVersion;
    const triangles = world.triangles(); // without those that tears removed
    geometry.index.array.set(triangles);
    geometry.index.needsUpdate = true;
    geometry.setDrawRange(0, triangles.length);
  }
}

// Stripes: a colour for each column of vertices.
const colors = new Float32Array(3 * world.vertices);
const stripe = new THREE.Color();
for (let vertex = 0; vertex < world.vertices; vertex++) {
  const isDark = Math.floor((vertex % COLUMNS) / 6) % 2;
  stripe.set(isDark ? 0xa63a2e : 0xe8dcc2).toArray(colors, 3 * vertex);
}
geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));

const scene = new THREE.Scene();
scene.background = new THREE.Color(0x1c2128);
const material = new THREE.MeshStandardMaterial({
  vertexColors: true,
  roughness: 0.85,
  side: THREE.DoubleSide, // draws the back, too, with flipped normals
  shadowSide: THREE.DoubleSide,
});
const curtain = new THREE.Mesh(geometry, material);
curtain.frustumCulled = false; // because its bounding sphere is not updated as it moves
curtain.castShadow = curtain.receiveShadow = true;
scene.add(curtain);

const rod = new THREE.Mesh(
  new THREE.CylinderGeometry(0.018, 0.018, 2.3, 16).rotateZ(Math.PI / 2),
  new THREE.MeshStandardMaterial({ color: 0x8a6d4a, roughness: 0.6 }),
);
rod.position.y = HEIGHT / 2 + 0.02;
rod.castShadow = true;
const floor = new THREE.Mesh(
  new THREE.PlaneGeometry(12, 12).rotateX(-Math.PI / 2),
  new THREE.MeshStandardMaterial({ color: 0x4a5260, roughness: 0.95 }),
);
floor.position.y = FLOOR;
floor.receiveShadow = true;
scene.add(rod, floor, new THREE.HemisphereLight(0xdfe8ff, 0x55504a, 1.6));
scene.fog = new THREE.Fog(0x1c2128, 4.5, 8);

const sun = new THREE.DirectionalLight(0xfff1dc, 2.6);
sun.position.set(-1.8, 2.6, 2.4);
sun.castShadow = true;
sun.shadow.mapSize.set(1024, 1024);
sun.shadow.normalBias = 0.02;
Object.assign(sun.shadow.camera, { left: -2.5, right: 2.5, top: 2.5, bottom: -2.5, near: 0.5, far: 8 });
scene.add(sun);

const renderer = new THREE.WebGLRenderer({ antialias: true });
renderer.shadowMap.enabled = true;
document.body.prepend(renderer.domElement);
const canvas = renderer.domElement;
const camera = new THREE.PerspectiveCamera(40, 1, 0.1, 50);
camera.position.set(1.1, 0.35, 3.4);

function resize() {
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
}
addEventListener("resize", resize);
resize();

// Dragging: a ray through the pointer finds a particle, which then follows the pointer in a plane that
// faces the camera.
const raycaster = new THREE.Raycaster();
const plane = new THREE.Plane();
const target = new THREE.Vector3(); // the position to which the particle is dragged
let dragged = null;
let pointer = null; // the mouse, pen or finger that drags it

function pointerRay({ clientX, clientY }) {
  const point = new THREE.Vector2((2 * clientX) / innerWidth - 1, 1 - (2 * clientY) / innerHeight);
  raycaster.setFromCamera(point, camera);
  return raycaster.ray;
}

canvas.addEventListener("pointerdown", (event) => {
  if (event.button !== 0 || dragged !== null) return;
  const { origin, direction } = pointerRay(event);
  const found = world.nearestToRay(new Float32Array([...origin, ...direction]), 0.04); // at most 4 cm away
  if (found === undefined) return;
  dragged = found;
  controls.enabled = false;
  pointer = event.pointerId;
  canvas.setPointerCapture(pointer);
  canvas.classList.add("dragging");
  target.fromArray(world.position(dragged));
  plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(new THREE.Vector3()), target);
  world.grab(dragged);
});
canvas.addEventListener("pointermove", (event) => {
  if (dragged !== null && event.pointerId === pointer) pointerRay(event).intersectPlane(plane, target);
});

function release() {
  if (dragged === null) return;
  world.release(dragged);
  dragged = null;
  controls.enabled = true;
  canvas.classList.remove("dragging");
}
for (const name of ["pointerup", "pointercancel"]) {
  canvas.addEventListener(name, (event) => {
    if (event.pointerId === pointer) release();
  });
}

// The listeners above were added first, so they can disable the controls before a drag also turns the camera.
const controls = new OrbitControls(camera, canvas);
controls.target.set(0, -0.12, 0);
controls.enableDamping = true;
controls.minDistance = 1;
controls.maxDistance = 6;
controls.maxPolarAngle = 1.65;

document.querySelector("#cut").addEventListener("click", () => {
  // A blade parallel to z, longer than the folds are deep, that sweeps from the left of the curtain to beyond its
  // middle. The heights at both ends of the motion are random.
  const [leftY, rightY] = [0, 0].map(() => HEIGHT * (0.3 * Math.random() + 0.05));
  world.cut(new Float32Array([-2, leftY, -3, -2, leftY, 3, 0.3, rightY, -3, 0.3, rightY, 3]));
});
document.querySelector("#restart").addEventListener("click", () => {
  release();
  world.free();
  world = createWorld();
  drawingVersion = null; // so that the triangles are read again
});

// Steps have a fixed length. A frame runs at most three steps; time beyond that is dropped.
const STEP = 1 / 60; // s: the default length, because SCENE has no `dt`
const times = document.querySelector("#times");
const meanTimes = { simulation: 0, frame: STEP * 1000 }; // moving averages, ms
let last = performance.now();
let remaining = 0; // time that is not simulated yet, s
let frames = 0;

renderer.setAnimationLoop((now) => {
  const elapsed = Math.max(0, now - last) / 1000;
  last = now;
  remaining = Math.min(remaining + elapsed, 3 * STEP);
  const start = performance.now();
  for (; remaining >= STEP; remaining -= STEP) {
    if (dragged !== null) world.drag(dragged, target.x, target.y, target.z);
    if (!world.step().finite) throw new Error("the positions are not finite");
  }
  updateGeometry();
  meanTimes.simulation += 0.05 * (performance.now() - start - meanTimes.simulation);
  meanTimes.frame += 0.05 * (1000 * elapsed - meanTimes.frame);
  controls.update();
  renderer.render(scene, camera);
  if (frames++ % 15 === 0) { // four times a second at 60 Hz, so that the figures can be read
    times.textContent = `Simulation ${meanTimes.simulation.toFixed(1)} ms, frame ${meanTimes.frame.toFixed(1)} ms`;
  }
});

// For the console of the browser, and for browser-tests/three.test.mjs.
globalThis.example = {
  vertices,
  geometry,
  camera,
  get world() { return world; },
  get frames() { return frames; },
  get dragged() { return dragged; },
};
