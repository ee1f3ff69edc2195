// Taut's worlds for C++17: the class `world`, which owns a taut_world, and exceptions instead of status codes.
// taut.h describes each call, and docs/bindings.md shows how to use this header.

#ifndef TAUT_HPP
#define TAUT_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taut.h"

namespace taut {

// The exception of a call that failed, with the message of taut_last_error.
class error : public std::runtime_error {
public:
    explicit error(taut_status status) : std::runtime_error(taut_last_error()), status_(status) {}
    taut_status status() const noexcept { return status_; }

private:
    taut_status status_;
};

// Throws `error` unless the call has succeeded.
inline void check(taut_status status) {
    if (status != TAUT_STATUS_OK) {
        throw error(status);
    }
}

// A read-only view of an array that a world owns. The comment of taut_world_lend_vertices says how long it is
// valid.
template <typename T> struct view {
    const T *data = nullptr;
    std::size_t size = 0;
    const T *begin() const noexcept { return data; }
    const T *end() const noexcept { return data + size; }
    const T &operator[](std::size_t index) const noexcept { return data[index]; }
};

// The kernel, by its name, and the number of threads. Without a name: the best kernel of this machine.
struct kernels {
    std::string_view name = {};
    std::uint32_t threads = 1;

    taut_kernels to_c() const noexcept {
        return {name.empty() ? nullptr : name.data(), name.size(), threads};
    }
};

// A taut_world, freed by the destructor. One thread at a time may use it.
class world {
public:
    static world from_library(std::string_view name, std::size_t size = 0, kernels choice = {}) {
        const taut_kernels c_choice = choice.to_c();
        world made;
        check(taut_world_from_library(name.data(), name.size(), size, &c_choice, &made.world_));
        return made;
    }

    static world from_toml(std::string_view scene, kernels choice = {}) {
        const taut_kernels c_choice = choice.to_c();
        world made;
        check(taut_world_from_toml(scene.data(), scene.size(), &c_choice, &made.world_));
        return made;
    }

    static world from_file(std::string_view path, kernels choice = {}) {
        const taut_kernels c_choice = choice.to_c();
        world made;
        check(taut_world_from_file(path.data(), path.size(), &c_choice, &made.world_));
        return made;
    }

    static world from_mesh(const std::vector<float> &positions,
                           const std::vector<std::uint32_t> &triangles,
                           taut_cloth cloth = taut_cloth_default(), kernels choice = {}) {
        const taut_kernels c_choice = choice.to_c();
        world made;
        check(taut_world_from_mesh(positions.data(), positions.size(), triangles.data(),
                                   triangles.size(), &cloth, &c_choice, &made.world_));
        return made;
    }

    // A world of copies of the scene that this world was made from, with the wind of this world, but with the initial
    // state and settings of the scene, and no tear factor. Each copy has the same bits as if it were alone.
    world repeated(std::size_t copies) const {
        world made;
        check(taut_world_repeated(world_, copies, &made.world_));
        return made;
    }

    world(world &&other) noexcept : world_(std::exchange(other.world_, nullptr)) {}
    world &operator=(world &&other) noexcept {
        std::swap(world_, other.world_);
        return *this;
    }
    world(const world &) = delete;
    world &operator=(const world &) = delete;
    ~world() { taut_world_free(world_); }

    // The pointer for calls of taut.h; this object still owns it.
    taut_world *get() const noexcept { return world_; }

    taut_steps step(std::uint32_t steps = 1) {
        taut_steps outcome;
        check(taut_world_step(world_, steps, &outcome));
        return outcome;
    }

    taut_info info() const {
        taut_info info;
        check(taut_world_info(world_, &info));
        return info;
    }

    std::uint64_t hash() const {
        std::uint64_t hash;
        check(taut_world_hash(world_, &hash));
        return hash;
    }

    // The model with this index, from 0.
    taut_model model(std::size_t index) const {
        taut_model model;
        check(taut_world_model(world_, index, &model));
        return model;
    }

    taut_model model(std::string_view name) const {
        taut_model model;
        check(taut_world_model_named(world_, name.data(), name.size(), &model));
        return model;
    }

    // The indices of the particles in a group of a model.
    std::vector<std::size_t> group(std::string_view model, std::string_view group) const {
        std::size_t count;
        check(taut_world_group(world_, model.data(), model.size(), group.data(), group.size(),
                               nullptr, 0, &count));
        std::vector<std::size_t> particles(count);
        check(taut_world_group(world_, model.data(), model.size(), group.data(), group.size(),
                               particles.data(), count, &count));
        return particles;
    }

    // x, y, z of each vertex, m. The vector is resized only if its length is wrong, so it can be reused.
    void copy_positions(std::vector<float> &to) const {
        to.resize(3 * info().vertices);
        check(taut_world_copy_positions(world_, to.data(), to.size()));
    }

    // The unit normal of each vertex.
    void copy_normals(std::vector<float> &to) const {
        to.resize(3 * info().vertices);
        check(taut_world_copy_normals(world_, to.data(), to.size()));
    }

    // The position and the unit normal of each vertex: x, y, z, nx, ny, nz.
    view<float> lend_vertices() const {
        view<float> lent;
        check(taut_world_lend_vertices(world_, &lent.data, &lent.size));
        return lent;
    }

    // Three vertex indices for each triangle that was not removed.
    std::vector<std::uint32_t> triangles() const {
        std::vector<std::uint32_t> corners(3 * info().triangles);
        check(taut_world_copy_triangles(world_, corners.data(), corners.size()));
        return corners;
    }

    // Two particle indices for each line to draw.
    std::vector<std::uint32_t> lines() const {
        std::vector<std::uint32_t> ends(2 * info().lines);
        check(taut_world_copy_lines(world_, ends.data(), ends.size()));
        return ends;
    }

    taut_point position(std::size_t particle) const {
        taut_point point;
        check(taut_world_position(world_, particle, &point));
        return point;
    }

    // The particle nearest to a point, at most `within` m away, if there is one.
    std::optional<std::size_t> nearest(taut_point to, float within) const {
        std::size_t particle;
        check(taut_world_nearest(world_, to, within, &particle));
        return to_optional(particle);
    }

    // The particle nearest to a ray, at most `within` m away and not behind its origin, if there is one.
    std::optional<std::size_t> nearest_to_ray(taut_point origin, taut_point direction,
                                              float within) const {
        std::size_t particle;
        check(taut_world_nearest_to_ray(world_, origin, direction, within, &particle));
        return to_optional(particle);
    }

    void set_position(std::size_t particle, taut_point to) {
        check(taut_world_set_position(world_, particle, to));
    }
    void set_velocity(std::size_t particle, taut_point velocity) {
        check(taut_world_set_velocity(world_, particle, velocity));
    }
    void set_inverse_mass(std::size_t particle, float inverse_mass) {
        check(taut_world_set_inverse_mass(world_, particle, inverse_mass));
    }
    void pin(std::size_t particle) { check(taut_world_pin(world_, particle)); }
    void unpin(std::size_t particle) { check(taut_world_unpin(world_, particle)); }
    void grab(std::size_t particle) { check(taut_world_grab(world_, particle)); }
    void drag(std::size_t particle, taut_point to) { check(taut_world_drag(world_, particle, to)); }
    void release(std::size_t particle) { check(taut_world_release(world_, particle)); }
    // The particles at the ends of a stick; none if it is torn.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> stick(std::size_t stick) const {
        std::uint32_t a, b;
        check(taut_world_stick(world_, stick, &a, &b));
        return a == UINT32_MAX ? std::nullopt : std::optional(std::pair(a, b));
    }
    void tear(std::size_t stick) { check(taut_world_tear(world_, stick)); }
    void set_tear_factor(float factor) { check(taut_world_set_tear_factor(world_, factor)); }

    // Tears all sticks that a blade crosses while it sweeps from the segment a0, b0 to the segment a1, b1. Returns
    // the number of torn sticks.
    std::size_t cut(taut_point a0, taut_point b0, taut_point a1, taut_point b1) {
        std::size_t torn;
        check(taut_world_cut(world_, a0, b0, a1, b1, &torn));
        return torn;
    }

    taut_settings settings() const {
        taut_settings settings;
        check(taut_world_settings(world_, &settings));
        return settings;
    }
    void set_settings(const taut_settings &settings) {
        check(taut_world_set_settings(world_, &settings));
    }
    void set_wind(float x, float y, float z) { check(taut_world_set_wind(world_, x, y, z)); }
    void set_kernels(kernels choice) {
        const taut_kernels c_choice = choice.to_c();
        check(taut_world_set_kernels(world_, &c_choice));
    }

    std::vector<std::uint8_t> snapshot() const {
        view<std::uint8_t> lent;
        check(taut_world_snapshot(world_, &lent.data, &lent.size));
        return {lent.begin(), lent.end()};
    }
    void restore(const std::vector<std::uint8_t> &snapshot) {
        check(taut_world_restore(world_, snapshot.data(), snapshot.size()));
    }

private:
    world() = default;

    // The calls of taut.h return SIZE_MAX for no particle.
    static std::optional<std::size_t> to_optional(std::size_t particle) {
        return particle == SIZE_MAX ? std::nullopt : std::optional(particle);
    }

    taut_world *world_ = nullptr;
};

} // namespace taut

#endif
