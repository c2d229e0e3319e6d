/** @file One small chart as SVG: axes with units, lines with bands. Colours are readable on white and on black. */
import { formatTick, niceTicks } from './axis.js';
import type { BandPoint } from './lines.js';

export interface ChartLine {
  readonly points: readonly BandPoint[];
  readonly colour: string;
  /** a thin line without band or marks */
  readonly isFaint?: boolean;
  readonly hasMarks?: boolean;
}

export interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly percent?: boolean;
  readonly lines: readonly ChartLine[];
}

export const size = { width: 320, height: 210 };
const margin = { left: 46, right: 10, top: 40, bottom: 34 };
const grey = '#7d8590';

/** Draws a chart whose upper left corner is at (x, y); `lastStep` is the end of the horizontal axis. */
export function drawChart(chart: Chart, x: number, y: number, lastStep: number): string {
  const factor = chart.percent === true ? 100 : 1;
  const values = chart.lines.flatMap(({ points }) =>
    points.flatMap(({ low, high }) => [low * factor, high * factor]),
  );
  const ticks =
    chart.percent === true ? [0, 25, 50, 75, 100] : niceTicks(Math.min(0, ...values), Math.max(0, ...values));
  const bottom = ticks[0] ?? 0;
  const top = ticks.at(-1) ?? 1;
  const inner = {
    width: size.width - margin.left - margin.right,
    height: size.height - margin.top - margin.bottom,
  };
  const px = (step: number): string =>
    (margin.left + (step / Math.max(1, lastStep)) * inner.width).toFixed(1);
  const py = (value: number): string =>
    (margin.top + (1 - (value * factor - bottom) / (top - bottom)) * inner.height).toFixed(1);
  const text = (at: string, words: string, rest = ''): string =>
    `<text ${at} ${rest}>${escapeText(words)}</text>`;
  const rows = ticks.map((tick) => {
    const height = py(tick / factor);
    return (
      `<line x1="${margin.left}" x2="${size.width - margin.right}" y1="${height}" y2="${height}" stroke="${grey}" stroke-opacity="0.3"/>` +
      text(`x="${margin.left - 6}" y="${Number(height) + 4}"`, formatTick(tick), 'text-anchor="end"')
    );
  });
  const columns = niceTicks(0, lastStep, 4)
    .filter((step) => step <= lastStep)
    .map((step) =>
      text(
        `x="${px(step)}" y="${size.height - margin.bottom + 15}"`,
        formatTick(step),
        'text-anchor="middle"',
      ),
    );
  return [
    `<g transform="translate(${x} ${y})">`,
    text('x="8" y="16"', chart.title, 'font-size="13" font-weight="600"'),
    text('x="8" y="30"', chart.unit),
    ...rows,
    ...columns,
    text(`x="${size.width - margin.right}" y="${size.height - 5}"`, 'iterations', 'text-anchor="end"'),
    ...chart.lines.map((line) => drawLine(line, px, py)),
    '</g>',
  ].join('\n');
}

function drawLine(
  { points, colour, isFaint, hasMarks }: ChartLine,
  px: (step: number) => string,
  py: (value: number) => string,
): string {
  if (points.length === 0) return '';
  const path = (pick: (point: BandPoint) => number, of: readonly BandPoint[]): string =>
    of.map((point, index) => `${index === 0 ? 'M' : 'L'}${px(point.step)} ${py(pick(point))}`).join('');
  const mean = path((point) => point.mean, points);
  if (isFaint === true)
    return `<path d="${mean}" fill="none" stroke="${colour}" stroke-width="1" stroke-opacity="0.55"/>`;
  const back = path((point) => point.low, points.toReversed()).replace('M', 'L');
  const band = `<path d="${path((point) => point.high, points)}${back}Z" fill="${colour}" fill-opacity="0.18"/>`;
  const marks = points.map(
    (point) => `<circle cx="${px(point.step)}" cy="${py(point.mean)}" r="2.5" fill="${colour}"/>`,
  );
  return (
    band +
    `<path d="${mean}" fill="none" stroke="${colour}" stroke-width="1.8"/>` +
    (hasMarks === true ? marks.join('') : '')
  );
}

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
