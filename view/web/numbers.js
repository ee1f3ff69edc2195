// Numbers as people read them.

const SUFFIXES = [[1e12, ' T'], [1e9, ' G'], [1e6, ' M'], [1e3, ' k']];

/** Three digits that count, as `1.03 M`. */
export function short(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  if (!Number.isFinite(x)) return '∞';
  const size = Math.abs(x);
  const [unit, suffix] = SUFFIXES.find(([unit]) => size >= unit * 0.9995) ?? [1, ''];
  const value = x / unit;
  const digits = Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  if (suffix === '' && Number.isInteger(x)) return `${x}`;
  if (size > 0 && size < 0.005) return x.toExponential(1).replace('e-', ' · 10⁻').replace(/⁻(\d+)$/, (_, n) => `⁻${superscript(n)}`);
  return `${value.toFixed(digits)}${suffix}`;
}

const superscript = (digits) => [...digits].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]).join('');

export function milliseconds(x) {
  if (!Number.isFinite(x)) return '–';
  return x < 0.0995 ? x.toFixed(3) : x < 9.95 ? x.toFixed(2) : x.toFixed(1);
}

/** A share of one, in percent. */
export function percent(x) {
  if (!Number.isFinite(x)) return '–';
  const value = 100 * x;
  return `${Math.abs(value) < 9.95 ? value.toFixed(2) : Math.abs(value) < 1000 ? value.toFixed(1) : short(value)} %`;
}

export const whole = (x) => Math.round(x).toLocaleString('en').replaceAll(',', '\u202f');
