/** @file Round numbers for an axis. */

/** Gives ticks at round steps from `low` or below to `high` or above. */
export function niceTicks(low: number, high: number, count = 4): number[] {
  const span = high > low ? high - low : Math.abs(high) || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

/** Writes a tick without needless digits. */
export function formatTick(value: number): string {
  return String(Number(value.toPrecision(4)));
}
