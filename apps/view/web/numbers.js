// Formats numbers for the figures.

/** Factors and their SI prefixes, the largest first. */
const LARGE = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];
const ALL = [...LARGE, [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];

/** Formats a number with three significant digits and a prefix: `['1.03', 'M']`. */
function scaled(x, prefixes) {
  if (x === null || x === undefined || Number.isNaN(x)) return ['–', ''];
  if (!Number.isFinite(x)) return ['∞', ''];
  // Three digits of 0.9995 are 1.00, so the prefix is that of 1.
  const [factor, prefix] = prefixes.find(([factor]) => Math.abs(x) >= factor * 0.9995) ?? [1, ''];
  const value = x / factor;
  const magnitude = Math.abs(value);
  const isWhole = prefix === '' && Number.isInteger(x);
  const text = isWhole ? `${value}` : value.toFixed(magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2);
  return [text.replace('-', '−'), prefix];
}

/** Formats a number without a unit: `1.03 M`. */
export const short = (x) => scaled(x, LARGE).join(' ').trim();

/** Formats a number and its unit: `['1.03', 'mJ']`. */
export function quantity(x, unit) {
  const [text, prefix] = scaled(x, ALL);
  return [text, prefix + unit];
}

/** Formats a time in ms, without the unit; more decimals for shorter times. */
export function milliseconds(x) {
  if (!Number.isFinite(x)) return '–';
  return x < 0.0995 ? x.toFixed(3) : x < 9.95 ? x.toFixed(2) : x.toFixed(1);
}

/** Formats a fraction in percent. */
export function percent(x) {
  if (!Number.isFinite(x)) return '–';
  const value = 100 * x;
  return `${Math.abs(value) < 9.95 ? value.toFixed(2) : Math.abs(value) < 1000 ? value.toFixed(1) : short(value)} %`;
}

/** Formats an integer, with narrow spaces between groups of three digits. */
export const whole = (x) => Math.round(x).toLocaleString('en').replaceAll(',', '\u202f');
