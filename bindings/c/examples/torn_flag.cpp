// Simulates the library scene `flag` in wind, restores a snapshot of it, and cuts the flag. Prints the hash of
// the positions, which is the same with every kernel and number of threads, and on every machine.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "taut.hpp"

namespace {

std::string simulate(taut::kernels kernels) {
    taut::world world = taut::world::from_library("flag", 24, kernels);
    world.set_wind(6.0f, 0.0f, 2.0f);
    world.step(60);
    const std::vector<std::uint8_t> snapshot = world.snapshot(); // after 60 steps

    world.step(30); // `restore` undoes these 30 steps
    world.restore(snapshot);
    world.step(30);

    const std::size_t triangles = world.info().triangles;
    // The blade is a segment along z. It sweeps upwards from the first two points to the last two.
    const std::size_t torn = world.cut({-0.3f, 0.1f, -5.0f}, {-0.3f, 0.1f, 5.0f},
                                       {-0.3f, 5.0f, -5.0f}, {-0.3f, 5.0f, 5.0f});
    std::fprintf(stderr, "the cut tore %zu sticks and removed %zu triangles\n", torn,
                 triangles - world.info().triangles);
    world.step(60);

    const taut::view<float> vertices = world.lend_vertices();
    std::fprintf(stderr, "the normal of the first vertex is %.3f %.3f %.3f\n",
                 static_cast<double>(vertices[3]), static_cast<double>(vertices[4]),
                 static_cast<double>(vertices[5]));
    char hash[17];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(world.hash()));
    return hash;
}

} // namespace

int main() {
    try {
        const std::string hash = simulate({});
        if (simulate({"scalar", 1}) != hash || simulate({"", 2}) != hash) {
            std::fprintf(stderr, "kernels or threads changed the result\n");
            return EXIT_FAILURE;
        }
        std::printf("%s\n", hash.c_str());
        return EXIT_SUCCESS;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return EXIT_FAILURE;
    }
}
