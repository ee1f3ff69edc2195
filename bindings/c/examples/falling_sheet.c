/* Simulates two seconds of a sheet of 17 x 17 particles that is pinned at two corners and falls. Prints the
 * hash of its positions, which is the same on every machine. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "taut.h"

enum { SIDE = 17, PARTICLES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

static void check(taut_status status) {
    if (status != TAUT_STATUS_OK) {
        fprintf(stderr, "error %d: %s\n", (int)status, taut_last_error());
        exit(EXIT_FAILURE);
    }
}

int main(void) {
    static float positions[3 * PARTICLES];
    static uint32_t triangles[3 * TRIANGLES];
    float *position = positions;
    uint32_t *corner = triangles;
    for (uint32_t row = 0; row < SIDE; row++) {
        for (uint32_t column = 0; column < SIDE; column++) {
            *position++ = 0.0625f * (float)column; /* 1/16 m, exact in binary */
            *position++ = 0.0f;
            *position++ = 0.0625f * (float)row;
            if (row + 1 < SIDE && column + 1 < SIDE) {
                uint32_t a = SIDE * row + column, b = a + 1, c = a + SIDE, d = c + 1;
                *corner++ = a, *corner++ = c, *corner++ = b;
                *corner++ = b, *corner++ = c, *corner++ = d;
            }
        }
    }

    if (taut_abi_version() != TAUT_ABI_VERSION) {
        fprintf(stderr, "the library does not match taut.h\n");
        return EXIT_FAILURE;
    }
    taut_world *world = NULL;
    check(taut_world_from_mesh(positions, 3 * PARTICLES, triangles, 3 * TRIANGLES, NULL, NULL,
                               &world));
    check(taut_world_pin(world, 0));
    check(taut_world_pin(world, SIDE - 1));
    for (int frame = 0; frame < 120; frame++) {
        taut_steps steps;
        check(taut_world_step(world, 1, &steps));
        check(taut_world_copy_positions(world, positions, 3 * PARTICLES));
        if (!steps.finite) {
            fprintf(stderr, "the simulation blew up in frame %d\n", frame);
            return EXIT_FAILURE;
        }
    }
    fprintf(stderr, "the last particle, a free corner, is at %.3f %.3f %.3f\n",
            positions[3 * PARTICLES - 3], positions[3 * PARTICLES - 2],
            positions[3 * PARTICLES - 1]);

    uint64_t hash;
    check(taut_world_hash(world, &hash));
    printf("%016" PRIx64 "\n", hash);
    taut_world_free(world);
    return EXIT_SUCCESS;
}
