// Draws 3-D scenes, with lighting and shadows.

import { toSrgb } from './colours.js';
import { Obstacles } from './obstacles.js';
import { Shadow } from './shadow.js';
import { Surfaces } from './surfaces.js';

/** Radius of grains, as a fraction of the scene's radius. */
const GRAIN_RADIUS = 0.008;

export class Space {
  constructor(gl, lines, points, backdrop) {
    Object.assign(this, { gl, lines, points, backdrop });
    this.surfaces = new Surfaces(gl);
    this.obstacles = new Obstacles(gl);
    this.shadow = new Shadow(gl);
  }

  /** Deletes the vertex arrays and obstacles of the previous topology, and makes the obstacles of the new one. */
  reset(mesh) {
    this.surfaces.reset();
    this.obstacles.setShapes(mesh.obstacles);
  }

  /** Draws the scene; draws the shadow map again only if something `hasMoved`. */
  draw(view, hasMoved) {
    const { gl } = this;
    const { extent, options, theme, mesh, pixelRatio } = view;
    view.shadow = this.shadow;
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.shadow.resize(view.quality.shadowSize);
    if (hasMoved) {
      // Larger than the scene, so that the map also has the shadow beside it, on the floor.
      this.shadow.aim(extent.centre, 1.6 * extent.radius);
      this.shadow.draw((matrix) => {
        this.surfaces.draw(view, matrix);
        this.obstacles.draw(view, matrix);
      });
    }
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.backdrop.draw(view);
    gl.enable(gl.DEPTH_TEST);
    this.shadow.bind();
    this.obstacles.drawFloors(view);
    this.obstacles.draw(view);
    this.surfaces.draw(view);
    mesh.parts.forEach((part, index) => {
      if (part.kind === 'grains' && options.surface) {
        this.points.balls(view, part.particles, {
          radius: GRAIN_RADIUS * extent.radius, pixels: pixelRatio, albedo: view.colours[index].tube,
        });
      }
    });
    if (options.sticks || !options.surface) {
      this.lines.sticks(view, {
        pixels: 0.6 * pixelRatio, colour: [...theme.line, options.surface ? 0.55 : 0.8],
        depthOffset: 2e-4, stretchRange: options.stretch ? 0.12 : 0,
      });
    }
    if (options.particles) {
      // A grey that differs from that of obstacles: darker in the light theme, lighter in the dark theme.
      const grey = toSrgb(theme.obstacle).map((x) => 1 - 0.6 * x);
      this.points.dots(view, [0, mesh.particles], {
        radius: 0.16 * view.stickLength, pixels: 1.2 * pixelRatio, colour: [...grey, 1], depthOffset: 3e-4,
      });
    }
    gl.disable(gl.DEPTH_TEST);
  }
}
