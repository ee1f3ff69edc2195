// What host and page say to each other, as bytes and as JSON. Knows neither the socket nor the
// picture. All numbers are little-endian, as are the typed arrays of every browser there is.

const HEADER = 16;
const KINDS = { 1: 'mesh', 2: 'indices', 3: 'removed', 4: 'frame', 5: 'rests' };

/** The corner of a face that is gone, and the end of a stick that is torn. */
export const NONE = 0xffffffff;

/** A command, as the host takes it. */
export const encode = (what, rest = {}) => JSON.stringify({ do: what, ...rest });

/** A text message: `{say: 'state' | 'figures' | 'error', …}`. */
export function decodeText(text) {
  const message = JSON.parse(text);
  if (typeof message?.say !== 'string') throw new Error('a message without `say`');
  return message;
}

/**
 * A binary message. Its arrays are views of `buffer`: nothing is copied.
 * @returns {{kind: string, epoch: number} & object}
 */
export function decodeBinary(buffer) {
  if (buffer.byteLength < HEADER) throw new Error('a message shorter than its header');
  const [number, epoch, a, b] = new Uint32Array(buffer, 0, 4);
  const kind = KINDS[number];
  const words = (buffer.byteLength - HEADER) >> 2;
  const enough = (needed) => {
    if (needed > words) throw new Error(`a ${kind} of ${words} words where ${needed} were said`);
  };
  switch (kind) {
    case 'mesh':
      return { kind, epoch, mesh: JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, HEADER))) };
    case 'indices':
      enough(3 * a + 2 * b);
      return {
        kind, epoch,
        faces: new Uint32Array(buffer, HEADER, 3 * a),
        sticks: new Uint32Array(buffer, HEADER + 12 * a, 2 * b),
      };
    case 'removed':
      enough(a + b);
      return {
        kind, epoch,
        faces: new Uint32Array(buffer, HEADER, a),
        sticks: new Uint32Array(buffer, HEADER + 4 * a, b),
      };
    case 'frame':
      enough(3 * b);
      return {
        kind, epoch, step: a,
        positions: new Float32Array(buffer, HEADER, 3 * b),
        poses: new Float32Array(buffer, HEADER + 12 * b, words - 3 * b),
      };
    case 'rests':
      enough(a);
      return { kind, epoch, rests: new Float32Array(buffer, HEADER, a) };
    default:
      throw new Error(`a message of unknown kind ${number}`);
  }
}
