/** @file Numbers, durations and moments as people read them. What is absent is a dash, never 0. */

export const absent = '–';

type Maybe = number | null | undefined;

/** Three significant digits; thousands as k, M, G. Absent and non-finite values are told apart. */
export function formatNumber(value: Maybe): string {
  if (value === null || value === undefined) return absent;
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 999_950_000) return `${digits(value / 1e9)} G`;
  if (size >= 999_950) return `${digits(value / 1e6)} M`;
  if (size >= 10_000) return `${digits(value / 1e3)} k`;
  if (size < 0.001) return minus(value.toExponential(1).replace('e-', 'e−').replace('e+', 'e'));
  return digits(value);
}

function digits(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 10_000) return minus(String(value));
  return minus(Number(value.toPrecision(3)).toString());
}

const minus = (text: string): string => text.replace(/^-/, '−');

/** A count with its word: 1 line, 2 lines. */
export const formatCount = (count: number, one: string, others = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : others}`;

/** A share as percent: 42 %, 0.5 %, 99.8 %. */
export function formatShare(value: Maybe): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return formatNumber(value);
  const percent = value * 100;
  if (percent > 99.94 && percent < 100) return '> 99.9 %';
  if (percent > 0 && percent < 0.05) return '< 0.1 %';
  const isNearEnd = (percent > 0 && percent < 10) || (percent > 99 && percent < 100);
  return `${minus(percent.toFixed(isNearEnd ? 1 : 0))} %`;
}

const binary = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function formatBytes(value: Maybe): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return formatNumber(value);
  const power = Math.min(binary.length - 1, Math.max(0, Math.floor(Math.log2(Math.abs(value) || 1) / 10)));
  return `${digits(value / 1024 ** power)} ${binary[power]}`;
}

/** A number with its unit, as metrics name them. */
export function formatValue(value: Maybe, unit: string | null | undefined): string {
  if (unit === 'probability') return formatShare(value);
  if (unit === 'bytes') return formatBytes(value);
  if (unit === 'seconds') return formatSeconds(value);
  return formatNumber(value);
}

/** The values along an axis, all with as many decimals as tell exactly where they are. */
export function formatTicks(values: readonly number[], unit: string | null | undefined): string[] {
  const isShare = unit === 'probability';
  const isTold = (value: number): boolean =>
    Number(value.toPrecision(3)) === value || (Number.isInteger(value) && Math.abs(value) < 10_000);
  const hasForm = unit === 'seconds' || unit === 'bytes' || values.some((value) => isTiny(value));
  if (!isShare && (hasForm || values.every(isTold))) return values.map((value) => formatValue(value, unit));
  const scaled = isShare ? values.map((value) => value * 100) : values;
  const isExact = (decimals: number): boolean =>
    scaled.every((value) => Math.abs(value - Number(value.toFixed(decimals))) <= 1e-9 * Math.abs(value));
  const decimals = [0, 1, 2, 3, 4, 5].find(isExact) ?? 6;
  return scaled.map((value) => minus(value.toFixed(decimals)) + (isShare ? ' %' : ''));
}

const isTiny = (value: number): boolean => value !== 0 && Math.abs(value) < 0.001;

/** The nearest value that a metric of this unit can have: no share lies below 0 or above 1. */
export const possible = <T extends Maybe>(value: T, unit: string | null | undefined): T | number =>
  isNumber(value) && unit === 'probability' ? Math.min(1, Math.max(0, value)) : value;

/** The difference of two values with its sign; of shares in points. Undefined where one is absent. */
export function formatChange(now: Maybe, before: Maybe, unit: string | null | undefined): string | undefined {
  if (!isNumber(now) || !isNumber(before)) return undefined;
  const change = now - before;
  const sign = change > 0 ? '+' : '';
  if (unit === 'probability') return `${sign}${minus((change * 100).toFixed(1))} pts`;
  return `${sign}${formatValue(change, unit)}`;
}

const isNumber = (value: Maybe): value is number => typeof value === 'number' && Number.isFinite(value);

/** 1 h 20 min, 3 min 5 s, 1.2 s, 40 ms. */
export function formatSeconds(value: Maybe): string {
  if (!isNumber(value)) return formatNumber(value);
  if (value < 0) return `−${formatSeconds(-value)}`;
  if (value === 0) return '0 s';
  if (value < 0.9995) return `${digits(value * 1000)} ms`;
  if (value < 59.95) return `${digits(value)} s`;
  const seconds = Math.round(value);
  if (seconds < 3600) return join(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return join(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(minutes / 60);
  return join(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

const join = (many: number, unit: string, few: number, less: string): string =>
  few === 0 ? `${many} ${unit}` : `${many} ${unit} ${few} ${less}`;

/** How long ago a moment was; a moment in the future, by a clock that is off, is "now". */
export function formatAge(moment: string | null | undefined, now: number): string {
  if (moment === null || moment === undefined) return absent;
  const seconds = (now - Date.parse(moment)) / 1000;
  if (Number.isNaN(seconds)) return absent;
  if (seconds < 10) return 'now';
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** The exact moment, for a title. */
export const formatMoment = (moment: string | null | undefined): string =>
  moment === null || moment === undefined ? absent : new Date(moment).toLocaleString();
