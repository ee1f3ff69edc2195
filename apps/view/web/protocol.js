// Encodes commands to the host, and decodes messages of the host (see apps/view/src/protocol). All numbers in messages
// are little-endian, as are typed arrays in all browsers.

const HEADER = 16; // bytes
const KINDS = { 1: 'mesh', 2: 'indices', 3: 'removed', 4: 'frame', 5: 'rests' };

/** In the message `indices`: stands for each corner of a removed face and each end of a torn stick. */
export const NONE = 0xffffffff;

/** Encodes a command with its fields as JSON. */
export const encode = (command, fields = {}) => JSON.stringify({ do: command, ...fields });

/** Decodes a text message: `{say: 'state' | 'figures' | 'error', …}`. */
export function decodeText(text) {
  const message = JSON.parse(text);
  if (typeof message?.say !== 'string') throw new Error('message without `say`');
  return message;
}

/**
 * Decodes a binary message. Its arrays are views of `buffer`.
 * @returns {{kind: string, epoch: number} & object}
 */
export function decodeBinary(buffer) {
  if (buffer.byteLength < HEADER) throw new Error('message shorter than its header');
  // The meaning of `a` and `b` depends on the kind.
  const [kindCode, epoch, a, b] = new Uint32Array(buffer, 0, 4);
  const kind = KINDS[kindCode];
  const words = (buffer.byteLength - HEADER) >> 2; // 32-bit words of the body
  const checkLength = (least) => {
    if (least > words) throw new Error(`message ${kind}: expected at least ${least} words, found ${words}`);
  };
  switch (kind) {
    case 'mesh':
      return { kind, epoch, mesh: JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, HEADER))) };
    case 'indices':
      checkLength(3 * a + 2 * b);
      return {
        kind, epoch,
        faces: new Uint32Array(buffer, HEADER, 3 * a),
        sticks: new Uint32Array(buffer, HEADER + 12 * a, 2 * b),
      };
    case 'removed':
      checkLength(a + b);
      return {
        kind, epoch,
        faces: new Uint32Array(buffer, HEADER, a),
        sticks: new Uint32Array(buffer, HEADER + 4 * a, b),
      };
    case 'frame':
      checkLength(3 * b);
      return {
        kind, epoch, step: a,
        positions: new Float32Array(buffer, HEADER, 3 * b),
        poses: new Float32Array(buffer, HEADER + 12 * b, words - 3 * b),
      };
    case 'rests':
      checkLength(a);
      return { kind, epoch, rests: new Float32Array(buffer, HEADER, a) };
    default:
      throw new Error(`message of unknown kind ${kindCode}`);
  }
}
