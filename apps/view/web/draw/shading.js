// Lighting: one key light with a shadow, and ambient light from sky and ground. This is the GLSL that the shaders of
// all lit surfaces share, and the function that sets its uniforms.

import { TEXTURE_UNIT } from './matter.js';
import { unit } from './math.js';

/** Direction to the key light: upper left, in front of the scene. */
export const TO_LIGHT = unit([-0.45, 0.8, 0.55]);

export const SHADING = `
uniform vec3 u_eye, u_toLight, u_key, u_sky, u_earth;
uniform mat4 u_light;     // from the scene to the clip space of the shadow map
uniform float u_offset;   // offset along the normal, m, so that a surface casts no shadow on itself
uniform bool u_soft;      // whether edges of shadows are blurred
uniform highp sampler2DShadow u_shadow;

/**
 * The fraction of the key light that reaches the point p. n: its normal on the side of the light. 0.0008 is subtracted
 * from the depth, so that rounding errors of the map cast no shadows.
 */
float keyLight(vec3 p, vec3 n) {
  vec3 q = (u_light * vec4(p + n * u_offset, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(q, vec3(0.0))) || any(greaterThan(q, vec3(1.0)))) return 1.0;
  if (!u_soft) return texture(u_shadow, vec3(q.xy, q.z - 0.0008));
  // The mean of 3 x 3 samples, 1.4 texels apart.
  float texel = 1.0 / float(textureSize(u_shadow, 0).x);
  float sum = 0.0;
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++)
      sum += texture(u_shadow, vec3(q.xy + vec2(x, y) * 1.4 * texel, q.z - 0.0008));
  return sum / 9.0;
}

/**
 * The light from the point p of a surface to the eye, linear. n: normal; gloss: strength of highlights;
 * fuzz: strength of the bright rim of fibres; through: the fraction of the light from behind that passes.
 */
vec3 shade(vec3 albedo, vec3 p, vec3 n, float gloss, float fuzz, float through) {
  vec3 v = normalize(u_eye - p);
  float facing = dot(n, u_toLight);
  float light = keyLight(p, facing >= 0.0 ? n : -n);
  vec3 ambient = mix(u_earth, u_sky, 0.5 + 0.5 * n.y);
  vec3 direct = u_key * light * (max(facing, 0.0) + through * max(-facing, 0.0));
  float rim = pow(1.0 - clamp(dot(n, v), 0.0, 1.0), 4.0);
  vec3 h = normalize(v + u_toLight);
  float shine = pow(max(dot(n, h), 0.0), 48.0) * light * step(0.0, facing);
  return albedo * (ambient + direct) + fuzz * rim * (0.4 * albedo + 0.12) * (ambient + 0.5 * direct)
    + gloss * (shine * u_key + 0.35 * rim * u_sky);
}

/** Converts a linear colour to sRGB. */
vec4 toSrgb(vec3 linear) {
  // Tone mapping: compresses values above 0.8, so that bright folds keep their colour.
  vec3 soft = mix(linear, 1.0 - 0.2 * exp(-(linear - 0.8) / 0.2), step(0.8, linear));
  return vec4(pow(max(soft, 0.0), vec3(1.0 / 2.2)), 1.0);
}
`;

/** Sets the uniforms of SHADING. */
export function setShading(gl, uniforms, { camera: { eye }, shadow, theme, quality }) {
  gl.uniform3fv(uniforms.u_eye, eye);
  gl.uniform3fv(uniforms.u_toLight, TO_LIGHT);
  gl.uniform3fv(uniforms.u_key, theme.key);
  gl.uniform3fv(uniforms.u_sky, theme.sky);
  gl.uniform3fv(uniforms.u_earth, theme.earth);
  gl.uniformMatrix4fv(uniforms.u_light, false, shadow.matrix);
  gl.uniform1f(uniforms.u_offset, shadow.normalOffset);
  gl.uniform1i(uniforms.u_soft, quality.softShadow ? 1 : 0);
  gl.uniform1i(uniforms.u_shadow, TEXTURE_UNIT.shadow);
}
