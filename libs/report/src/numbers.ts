/** @file Numbers as a report writes them. What is absent or not finite is said, never written as 0. */

const minus = (text: string): string => text.replace(/^-/, '−');

/** Three significant digits. */
export function formatNumber(value: number | undefined): string {
  if (value === undefined) return '–';
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (Math.abs(value) >= 1000 && Math.abs(value) < 1e6) return groupDigits(Math.round(value));
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6))
    return minus(value.toExponential(1)).replace('e-', 'e−').replace('e+', 'e');
  return minus(Number(value.toPrecision(3)).toString());
}

const groupDigits = (value: number): string => minus(value.toLocaleString('en-US').replaceAll(',', '\u202f'));

/** A share as percent with one digit. */
export function formatShare(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value)
    ? formatNumber(value)
    : `${minus((100 * value).toFixed(1))} %`;
}

/** The difference of two shares in percentage points, with its sign. */
export function formatPoints(value: number): string {
  if (!Number.isFinite(value)) return formatNumber(value);
  const digits = (100 * value).toFixed(1);
  return /^-?0\.0$/.test(digits) ? '0.0' : value > 0 ? `+${digits}` : minus(digits);
}

/** 1 h 20 min, 3 min 5 s, 1.2 s. */
export function formatSeconds(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return formatNumber(value);
  if (value < 60) return `${formatNumber(value)} s`;
  const seconds = Math.round(value);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Metrics that are shares; docs/reference/metrics.md has every unit. */
const share = /(?:_rate|_share|_fraction|\/success_(?:low|high)|\/(?:label|stop)_[a-z_]+)$/;

export const isShare = (metric: string): boolean => share.test(metric);

/** A value of a metric with its unit. */
export function formatMetric(metric: string, value: number | undefined): string {
  if (isShare(metric)) return formatShare(value);
  if (/_seconds$/.test(metric)) return formatSeconds(value);
  return formatNumber(value);
}

/** Any value of a setting on one line. */
export const formatSetting = (value: unknown): string =>
  value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);

export const mean = (values: readonly number[]): number =>
  values.reduce((total, one) => total + one, 0) / values.length;
