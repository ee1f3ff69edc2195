// The shadow map of the key light: the depth of the nearest surface, as seen from the light.

import { TEXTURE_UNIT } from './matter.js';
import { lookAt, multiply, orthographic } from './math.js';
import { TO_LIGHT } from './shading.js';

export class Shadow {
  constructor(gl) {
    this.gl = gl;
    this.target = gl.createFramebuffer();
    this.size = 0;
  }

  /** Sets the width and height of the map, texels. */
  resize(size) {
    const { gl } = this;
    if (size === this.size) return;
    this.size = size;
    gl.deleteTexture(this.texture ?? null);
    this.texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0 + TEXTURE_UNIT.shadow);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.LINEAR);
    for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  /** Points the light at a ball (centre and radius, m), which the map covers. */
  aim(centre, radius) {
    const eye = centre.map((x, axis) => x + 3 * radius * TO_LIGHT[axis]);
    const view = lookAt(eye, centre, [0, 1, 0]);
    this.matrix = multiply(orthographic(radius, radius, 0.5 * radius, 5.5 * radius), view);
    // By which a shaded point is moved along its normal, m: 1.75 texels of the map, which is 2 radii wide.
    this.normalOffset = (3.5 * radius) / this.size;
  }

  /** Renders the depth of what `drawCasters` draws with the light's matrix. */
  draw(drawCasters) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.viewport(0, 0, this.size, this.size);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.colorMask(false, false, false, false);
    drawCasters(this.matrix);
    gl.colorMask(true, true, true, true);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  /** Binds the map to its texture unit. */
  bind() {
    this.gl.activeTexture(this.gl.TEXTURE0 + TEXTURE_UNIT.shadow);
    this.gl.bindTexture(this.gl.TEXTURE_2D, this.texture);
  }
}
