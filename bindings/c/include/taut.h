/* Taut's worlds for C: particles joined by sticks, with the same bits on every machine.
 *
 * Made by cbindgen from bindings/c/src: do not edit. docs/bindings.md shows how to use it.
 *
 * A world is valid from the call that creates it to taut_world_free. One thread at a time may use
 * a world; it may be a different thread for each call. Different worlds are independent.
 *
 * The length of an array counts its elements, not bytes; an array of length 0 may be NULL. Texts
 * are UTF-8, passed with their length in bytes, and need no NUL at their end. An argument that a call writes to must not
 * overlap another argument.
 *
 * A call that returns another status than TAUT_STATUS_OK or TAUT_STATUS_PANICKED has written nothing to its outputs and
 * left the world unchanged, except that steps before a step that fails are kept. If a call panics, its outputs and its
 * world are in an unspecified state: every later call but taut_world_free returns TAUT_STATUS_POISONED. */


#ifndef TAUT_H
#define TAUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version of this interface: it changes when programs must be recompiled.
#define TAUT_ABI_VERSION 1

// How a call ended. `taut_last_error` has the message of the last failure.
enum taut_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The call succeeded.
  TAUT_STATUS_OK = 0,
  // A pointer that must not be NULL is NULL.
  TAUT_STATUS_NULL_POINTER = 1,
  // An array has the wrong length; or an array, or a pointer to an output, is not aligned.
  TAUT_STATUS_WRONG_LENGTH = 2,
  // A text is not UTF-8.
  TAUT_STATUS_INVALID_TEXT = 3,
  // There is no scene, model, group or kernel with this name.
  TAUT_STATUS_UNKNOWN_NAME = 4,
  // There is no particle, stick or model with this index.
  TAUT_STATUS_OUT_OF_RANGE = 5,
  // A scene or a mesh is invalid, or no world can be made of it. The message about a scene text has
  // the line, unless only the scene as a whole is invalid.
  TAUT_STATUS_INVALID_SCENE = 6,
  // A scene file, or a mesh file that it names, cannot be read.
  TAUT_STATUS_FILE = 7,
  // A value is out of its range, or the world cannot do this.
  TAUT_STATUS_INVALID_VALUE = 8,
  // A snapshot is damaged, or of a different scene.
  TAUT_STATUS_INVALID_SNAPSHOT = 9,
  // The kernel is not available, or its threads cannot be started.
  TAUT_STATUS_KERNELS = 10,
  // An earlier call panicked in this world; it can only be freed.
  TAUT_STATUS_POISONED = 11,
  // This call panicked, which is a bug in Taut. Its world is now poisoned.
  TAUT_STATUS_PANICKED = 12,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum taut_status taut_status;
#else
typedef int32_t taut_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a model is.
enum taut_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Cloth.
  TAUT_KIND_CLOTH = 0,
  // A rope, chain or bridge.
  TAUT_KIND_ROPE = 1,
  // A plant.
  TAUT_KIND_PLANT = 2,
  // Rigid bodies.
  TAUT_KIND_BODY = 3,
  // A ragdoll.
  TAUT_KIND_RAGDOLL = 4,
  // Particles only.
  TAUT_KIND_GRAINS = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum taut_kind taut_kind;
#else
typedef int32_t taut_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// A world of two or three dimensions.
typedef struct taut_world taut_world;

// A point, m, or a vector (a velocity: m/s). In two dimensions `z` is ignored in arguments and 0 in results.
typedef struct taut_point {
  // The first coordinate.
  float x;
  // The second coordinate; by default gravity points in its negative direction.
  float y;
  // The third coordinate.
  float z;
} taut_point;

// Properties of the cloth that a mesh becomes.
typedef struct taut_cloth {
  // Mass per area, kg/m².
  float density;
  // Whether it resists bending.
  bool resists_bending;
  // Whether its particles are tethered to pinned ones, which keeps it stiff.
  bool tethered;
} taut_cloth;

// The kernels of a world. They affect its speed, not its results.
typedef struct taut_kernels {
  // The name of the kernel: `scalar`, `pulp`, `grid` or `copies`. NULL: the best of this machine.
  const char *kernel;
  // The length of the name, without a NUL at its end.
  size_t kernel_length;
  // The number of threads, counting the one that calls: at most 1024. 0 is treated as 1.
  uint32_t threads;
} taut_kernels;

// The size and the progress of a world. Tears and `taut_world_restore` change the
// counts of triangles and lines; the other counts of parts are constant.
typedef struct taut_info {
  // Number of dimensions, 2 or 3.
  uint32_t dimensions;
  // Number of models.
  size_t models;
  // Number of particles.
  size_t particles;
  // Number of vertices: the particles, then the vertices of the meshes of rigid bodies.
  size_t vertices;
  // Number of sticks, torn ones included.
  size_t sticks;
  // Number of triangles that were not removed.
  size_t triangles;
  // Number of lines to draw: springs, and untorn sticks that are not hidden.
  size_t lines;
  // A counter that increases when triangles or lines change.
  uint64_t drawing_version;
  // Number of steps so far.
  uint64_t steps;
  // Simulated time, s.
  double time;
} taut_info;

// A model, and the ranges of its particles and sticks.
typedef struct taut_model {
  // Its name, without a NUL at its end. It is valid until the world is freed or restored.
  const char *name;
  // The length of the name.
  size_t name_length;
  // What it is.
  taut_kind kind;
  // The index of its first particle.
  size_t first_particle;
  // Number of particles.
  size_t particles;
  // The index of its first stick.
  size_t first_stick;
  // Number of sticks.
  size_t sticks;
} taut_model;

// The settings of a step.
typedef struct taut_settings {
  // Length of a step, s.
  float dt;
  // Number of substeps of a step, 1 to 1000.
  uint32_t substeps;
  // Number of passes of a substep, 1 to 1000.
  uint32_t passes;
  // Number of iterations of a pass, 0 to 100000.
  uint32_t iterations;
  // Gravity, m/s². In two dimensions the third coordinate is ignored.
  float gravity[3];
  // Damping rate, 1/s.
  float damping_rate;
} taut_settings;

// The outcome of `taut_world_step`.
typedef struct taut_steps {
  // Whether every position is finite; if not, the simulation has blown up, and steps stop.
  bool finite;
  // Number of sticks that tore.
  size_t torn;
  // Number of ties that broke.
  size_t broken;
} taut_steps;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The `TAUT_ABI_VERSION` of the library that the program runs with. A program that loads the
// library at run time compares it with that of its header.
uint32_t taut_abi_version(void);

// The message of the last call of this thread that failed, as UTF-8 that ends with NUL; empty if
// none failed. Each thread has its own message. It is valid until the next call of this thread that
// fails.
const char *taut_last_error(void);

// Moves a particle, pinned or free, to a point, and stops it.
//
// # Safety
// `world` must be NULL or a valid world.
taut_status taut_world_set_position(struct taut_world *world,
                                    size_t particle,
                                    struct taut_point to);

// Sets the velocity of a particle, m/s.
//
// # Safety
// `world` must be NULL or a valid world.
taut_status taut_world_set_velocity(struct taut_world *world,
                                    size_t particle,
                                    struct taut_point velocity);

// Sets the inverse mass of a particle, 1/kg; 0 pins it permanently.
//
// # Safety
// `world` must be NULL or a valid world.
taut_status taut_world_set_inverse_mass(struct taut_world *world,
                                        size_t particle,
                                        float inverse_mass);

// Pins a particle at its position, until it is unpinned.
//
// # Safety
// `world` must be NULL or a valid world.
taut_status taut_world_pin(struct taut_world *world, size_t particle);

// Unpins a particle: it gets its mass back and starts at rest. The call fails for a particle that
// the scene pins, which has no mass.
//
// # Safety
// `world` must be NULL or a valid world.
taut_status taut_world_unpin(struct taut_world *world, size_t particle);

// Grabs a particle: it stays in place, or follows a drag, until it is released.
//
// # Safety
// `world` must be NULL or a valid world.
taut_status taut_world_grab(struct taut_world *world, size_t particle);

// Sets the position of a grabbed or pinned particle at the end of the next step.
//
// # Safety
// `world` must be NULL or a valid world.
taut_status taut_world_drag(struct taut_world *world, size_t particle, struct taut_point to);

// Releases a grabbed particle. If the last step dragged it, it keeps the velocity of that drag.
//
// # Safety
// `world` must be NULL or a valid world.
taut_status taut_world_release(struct taut_world *world, size_t particle);

// Tears a stick and removes the triangles at it.
//
// # Safety
// `world` must be NULL or a valid world.
taut_status taut_world_tear(struct taut_world *world, size_t stick);

// From now on each stick tears at the end of a step in which it is longer than `factor` times its
// rest length; none tears if `factor` is infinite. A factor of 1 or less is an error.
//
// # Safety
// `world` must be NULL or a valid world.
taut_status taut_world_set_tear_factor(struct taut_world *world, float factor);

// Tears all sticks that a blade crosses. The blade is the segment `a0`, `b0`, and sweeps to the
// segment `a1`, `b1`; in two dimensions the blade is the segment `a0`, `a1`. `torn`, which may be
// NULL, gets the number of torn sticks.
//
// # Safety
// `world` must be NULL or a valid world, and `torn` must be NULL or point to a number.
taut_status taut_world_cut(struct taut_world *world,
                           struct taut_point a0,
                           struct taut_point b0,
                           struct taut_point a1,
                           struct taut_point b1,
                           size_t *torn);

// The cloth that `taut_world_from_mesh` makes if its argument `cloth` is NULL: 0.2 kg/m², resists
// bending, tethered.
struct taut_cloth taut_cloth_default(void);

// Makes the world of a scene of the library, such as `curtain`. `size` 0 selects the default size.
// `kernels` may be NULL: the best, on one thread.
//
// # Safety
// `name` must have `name_length` bytes. `kernels` must be NULL or point to kernels, and `out` must
// be NULL or point to a pointer.
taut_status taut_world_from_library(const char *name,
                                    size_t name_length,
                                    size_t size,
                                    const struct taut_kernels *kernels,
                                    struct taut_world **out);

// Makes the world of a scene in TOML that names no mesh files: docs/scenes.md lists all keys.
// `kernels` may be NULL: the best, on one thread.
//
// # Safety
// `scene` must have `scene_length` bytes. `kernels` must be NULL or point to kernels, and `out`
// must be NULL or point to a pointer.
taut_status taut_world_from_toml(const char *scene,
                                 size_t scene_length,
                                 const struct taut_kernels *kernels,
                                 struct taut_world **out);

// Makes the world of a scene file (TOML). Mesh files that it names are read from its folder or
// below it. The status is `TAUT_STATUS_FILE` if the scene file or a mesh file cannot be read, and
// `TAUT_STATUS_INVALID_SCENE` if the name of a mesh file leads out of the folder. `kernels` may be
// NULL: the best, on one thread.
//
// # Safety
// `path` must have `path_length` bytes. `kernels` must be NULL or point to kernels, and `out` must
// be NULL or point to a pointer.
taut_status taut_world_from_file(const char *path,
                                 size_t path_length,
                                 const struct taut_kernels *kernels,
                                 struct taut_world **out);

// Makes a world with one model, `cloth`, from a triangle mesh. `positions` has x, y, z of each
// vertex, m; `triangles` has three vertex indices each, counter-clockwise from outside.
// Nothing is pinned. `cloth` may be NULL: see `taut_cloth_default`. `kernels` may be NULL: the
// best, on one thread.
//
// # Safety
// The arrays must have the given numbers of elements. `cloth` must be NULL or point to a cloth,
// `kernels` must be NULL or point to kernels, and `out` must be NULL or point to a pointer.
taut_status taut_world_from_mesh(const float *positions,
                                 size_t positions_length,
                                 const uint32_t *triangles,
                                 size_t triangles_length,
                                 const struct taut_cloth *cloth,
                                 const struct taut_kernels *kernels,
                                 struct taut_world **out);

// Makes a world of `copies` copies of the scene that a world was made from, with the wind of that world, but
// with the initial state and settings of the scene, and no tear factor. Copies do not collide with each other;
// each has the same bits as alone. The vertices are in the order of the copies. A scene with self-collision,
// limbs, bodies or ties is an error.
//
// # Safety
// `world` must be NULL or a valid world, and `out` must be NULL or point to a pointer.
taut_status taut_world_repeated(struct taut_world *world,
                                size_t copies,
                                struct taut_world **out);

// Frees a world. NULL is ignored.
//
// # Safety
// `world` must be NULL or a valid world. After the call it is no longer valid.
void taut_world_free(struct taut_world *world);

// Lends the position and the normal of each vertex: x, y, z, nx, ny, nz. `length` gets 6 times the
// number of vertices. The array is valid until the next call that changes, restores or frees this
// world, or lends its vertices.
//
// # Safety
// `world` must be NULL or a valid world; `vertices` must be NULL or point to a pointer, and
// `length` must be NULL or point to a number.
taut_status taut_world_lend_vertices(struct taut_world *world,
                                     const float **vertices,
                                     size_t *length);

// Reads the size and the progress of a world.
//
// # Safety
// `world` must be NULL or a valid world, and `out` must be NULL or point to an info.
taut_status taut_world_info(struct taut_world *world, struct taut_info *out);

// Reads a model by its index, from 0.
//
// # Safety
// `world` must be NULL or a valid world, and `out` must be NULL or point to a model.
taut_status taut_world_model(struct taut_world *world, size_t model, struct taut_model *out);

// Reads a model by its name.
//
// # Safety
// `world` must be NULL or a valid world, `name` must have `name_length` bytes, and `out` must be
// NULL or point to a model.
taut_status taut_world_model_named(struct taut_world *world,
                                   const char *name,
                                   size_t name_length,
                                   struct taut_model *out);

// Finds the particles of a group of a model, such as `top` of a mesh. `count` gets how many there
// are. `to` gets their indices; its length must be that count, or 0 to read only the count.
//
// # Safety
// `world` must be NULL or a valid world, each name must have as many bytes as its length says, `to` must have `length`
// initialized elements, and `count` must be NULL or point to a number.
taut_status taut_world_group(struct taut_world *world,
                             const char *model,
                             size_t model_length,
                             const char *group,
                             size_t group_length,
                             size_t *to,
                             size_t length,
                             size_t *count);

// Reads the position of a particle.
//
// # Safety
// `world` must be NULL or a valid world, and `out` must be NULL or point to a point.
taut_status taut_world_position(struct taut_world *world, size_t particle, struct taut_point *out);

// Reads the particles at the ends of a stick; both get `UINT32_MAX` if it is torn.
//
// # Safety
// `world` must be NULL or a valid world, and `a` and `b` must be NULL or point to numbers.
taut_status taut_world_stick(struct taut_world *world, size_t stick, uint32_t *a, uint32_t *b);

// Finds the particle nearest to a point, at most `within` m away; `out` gets `SIZE_MAX` if there is
// none.
//
// # Safety
// `world` must be NULL or a valid world, and `out` must be NULL or point to a number.
taut_status taut_world_nearest(struct taut_world *world,
                               struct taut_point to,
                               float within,
                               size_t *out);

// Finds the particle nearest to a ray, at most `within` m away and not behind its origin; `out`
// gets `SIZE_MAX` if there is none.
//
// # Safety
// `world` must be NULL or a valid world, and `out` must be NULL or point to a number.
taut_status taut_world_nearest_to_ray(struct taut_world *world,
                                      struct taut_point origin,
                                      struct taut_point direction,
                                      float within,
                                      size_t *out);

// Copies the positions of all vertices, m: x, y, z, so `length` is 3 times the number of vertices.
// Nothing is allocated.
//
// # Safety
// `world` must be NULL or a valid world, and `to` must have `length` initialized elements.
taut_status taut_world_copy_positions(struct taut_world *world, float *to, size_t length);

// Copies the unit normals of all vertices: x, y, z, so `length` is 3 times the number of vertices.
// Nothing is allocated after the first call.
//
// # Safety
// `world` must be NULL or a valid world, and `to` must have `length` initialized elements.
taut_status taut_world_copy_normals(struct taut_world *world, float *to, size_t length);

// Copies the position and the normal of each vertex: x, y, z, nx, ny, nz, so `length` is 6 times
// the number of vertices. Nothing is allocated after the first call.
//
// # Safety
// `world` must be NULL or a valid world, and `to` must have `length` initialized elements.
taut_status taut_world_copy_vertices(struct taut_world *world, float *to, size_t length);

// Copies the triangles that were not removed, as three vertex indices each, counter-clockwise from
// outside. `length` is 3 times the number of triangles.
//
// # Safety
// `world` must be NULL or a valid world, and `to` must have `length` initialized elements.
taut_status taut_world_copy_triangles(struct taut_world *world, uint32_t *to, size_t length);

// Copies the lines to draw, as two particle indices each. `length` is 2 times the number of lines.
//
// # Safety
// `world` must be NULL or a valid world, and `to` must have `length` initialized elements.
taut_status taut_world_copy_lines(struct taut_world *world, uint32_t *to, size_t length);

// Reads the settings.
//
// # Safety
// `world` must be NULL or a valid world, and `out` must be NULL or point to settings.
taut_status taut_world_settings(struct taut_world *world, struct taut_settings *out);

// Changes the settings; velocities are kept.
//
// # Safety
// `world` must be NULL or a valid world, and `settings` must be NULL or point to settings.
taut_status taut_world_set_settings(struct taut_world *world, const struct taut_settings *settings);

// Changes the kernels; the state is kept. `kernels` may be NULL: the best, on one thread.
//
// # Safety
// `world` must be NULL or a valid world, and `kernels` must be NULL or point to kernels.
taut_status taut_world_set_kernels(struct taut_world *world, const struct taut_kernels *kernels);

// Replaces all forces of the scene by a uniform wind on all triangles, m/s. It needs a world in
// three dimensions.
//
// # Safety
// `world` must be NULL or a valid world.
taut_status taut_world_set_wind(struct taut_world *world, float x, float y, float z);

// Runs up to `steps` steps, and stops after the first one that leaves a position that is not
// finite. `out` may be NULL. If a step fails, those before it have been done.
//
// # Safety
// `world` must be NULL or a valid world, and `out` must be NULL or point to a `taut_steps`.
taut_status taut_world_step(struct taut_world *world, uint32_t steps, struct taut_steps *out);

// Computes a hash of the bits of all positions: the same on every machine, with every kernel and
// number of threads.
//
// # Safety
// `world` must be NULL or a valid world, and `out` must be NULL or point to a number.
taut_status taut_world_hash(struct taut_world *world, uint64_t *out);

// Takes a snapshot, as JSON. The bytes are valid until the next snapshot of this world, or until it
// is freed.
//
// # Safety
// `world` must be NULL or a valid world; `bytes` must be NULL or point to a pointer, and `length`
// must be NULL or point to a number.
taut_status taut_world_snapshot(struct taut_world *world, const uint8_t **bytes, size_t *length);

// Resumes from a snapshot of a world of the same scene. Forces and kernels are kept.
//
// # Safety
// `world` must be NULL or a valid world, and `bytes` must have `length` bytes.
taut_status taut_world_restore(struct taut_world *world, const uint8_t *bytes, size_t length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TAUT_H */
