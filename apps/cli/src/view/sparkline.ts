const bars = '▁▂▃▄▅▆▇█';

/**
 * Draws the newest values as one row of bars; values that are no number leave a gap.
 *
 * @param range of the lowest and highest bar; by default that of the values
 */
export function drawSparkline(
  values: readonly number[],
  width: number,
  range?: readonly [low: number, high: number],
): string {
  const shown = values.slice(-width);
  const finite = shown.filter((value) => Number.isFinite(value));
  const [low, high] = range ?? [Math.min(...finite), Math.max(...finite)];
  return shown
    .map((value) => {
      if (!Number.isFinite(value)) return ' ';
      const share = high > low ? (value - low) / (high - low) : 0.5;
      return bars[Math.max(0, Math.min(bars.length - 1, Math.floor(share * bars.length)))];
    })
    .join('');
}

/** Draws a bar of `width` cells, filled by a share in 0..1. */
export function drawBar(share: number, width: number): string {
  const filled = Math.round(Math.max(0, Math.min(1, share)) * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}
