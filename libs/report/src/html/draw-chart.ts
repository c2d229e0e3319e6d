/** @file Charts as SVG whose colours come from the style of the page. */
import type { BarChart, Chart, CurveChart, IntervalChart } from '../charts/chart.js';
import {
  type Band,
  bandsOf,
  createScale,
  type Curve,
  rangeOf,
  type Scale,
  segmentsOf,
} from '../charts/curves.js';
import { formatMetric, formatPoints, isShare } from '../numbers.js';
import type { Point } from '../report-run.js';
import { escapePlain } from './escape.js';

/** Colours and dashes of the style; more lines begin again. */
const hues = 8;
const classOf = (index: number): string => `c${index % hues} d${Math.floor(index / hues) % 3}`;

const text = (at: string, words: string): string => `<text ${at}>${escapePlain(words)}</text>`;

/** A chart as the content of its figure. */
export function drawChart(chart: Chart): string {
  switch (chart.kind) {
    case 'curves':
      return drawCurveChart(chart);
    case 'bars':
      return drawBars(chart);
    case 'intervals':
      return drawIntervals(chart);
  }
}

const frame = { width: 480, height: 236, left: 52, right: 10, top: 10, bottom: 28 };

function drawCurveChart({ title, curves, marks }: CurveChart): string {
  const { width, height, left, right, top, bottom } = frame;
  const points = curves.flatMap(({ runs }) => runs.flat()).filter(([, value]) => Number.isFinite(value));
  if (points.length === 0) return '<p class="empty">no finite value</p>';
  const steps = points.map(([step]) => step);
  const [first, last] = rangeOfSteps(steps);
  const x = createScale(first, last, left, width - right, 1);
  const y = createScale(...rangeOf(points.map(([, value]) => value)), height - bottom, top);
  const bands = curves.map(({ runs }) => bandsOf(runs));
  const data = {
    title,
    x: [first, last, left, width - right],
    lines: curves.map(({ label, runs }, index) => ({
      label,
      points: (bands[index] ?? []).map((band) => [
        band.step,
        formatMetric(title, band.mean),
        runs.length > 1 ? `${formatMetric(title, band.low)} to ${formatMetric(title, band.high)}` : '',
      ]),
    })),
  };
  return [
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapePlain(`${title} by step: ${describeCurves(title, curves)}`)}" data-chart="${escapePlain(JSON.stringify(data))}">`,
    ...y.ticks.flatMap((value) => [
      `<path class="grid" d="M${left} ${y.at(value)}H${width - right}"/>`,
      text(`x="${left - 6}" y="${y.at(value)}" dy="4" text-anchor="end"`, y.write(value)),
    ]),
    ...x.ticks.map((step) =>
      text(`x="${x.at(step)}" y="${height - bottom + 17}" text-anchor="middle"`, x.write(step)),
    ),
    `<path class="axis" d="M${left} ${height - bottom}H${width - right}"/>`,
    ...marks.map(
      ({ step, words }) =>
        `<path class="event" d="M${x.at(step)} ${top}V${height - bottom}"><title>${escapePlain(`step ${step}: ${words}`)}</title></path>`,
    ),
    ...curves.flatMap(({ expected }, index) =>
      drawLine(segmentsOf(bands[index] ?? [], expected), index, x, y),
    ),
    `<path class="cursor" d="M0 0"/>`,
    '</svg>',
  ].join('');
}

function rangeOfSteps(steps: readonly number[]): [number, number] {
  const first = steps.reduce((low, step) => Math.min(low, step), Infinity);
  const last = steps.reduce((high, step) => Math.max(high, step), -Infinity);
  return [Math.min(first, 1) === 1 && first > 0 ? first : Math.min(first, last), Math.max(last, first + 1)];
}

/** In words, for people who cannot see it. */
function describeCurves(metric: string, curves: readonly Curve[]): string {
  return curves
    .map(({ label, runs }) => {
      const bands = bandsOf(runs).filter((band) => Number.isFinite(band.mean));
      const [first] = bands;
      const last = bands.at(-1);
      if (first === undefined || last === undefined) return `${label} has no value`;
      return `${label} from ${formatMetric(metric, first.mean)} at ${first.step} to ${formatMetric(metric, last.mean)} at ${last.step}`;
    })
    .join('; ');
}

function drawLine(parts: readonly (readonly Band[])[], index: number, x: Scale, y: Scale): string[] {
  const areas = parts
    .filter((part) => part.length > 1 && part.some(({ low, high }) => low !== high))
    .map((part) => {
      const upper = part.map(({ step, high }) => `${x.at(step)},${y.at(high)}`);
      const lower = part.map(({ step, low }) => `${x.at(step)},${y.at(low)}`).reverse();
      return `<polygon class="band ${classOf(index)}" points="${[...upper, ...lower].join(' ')}"/>`;
    });
  const lines = parts.map((part) => {
    const places = part.map(({ step, mean }) => `${x.at(step)},${y.at(mean)}`);
    const [only = ''] = places;
    const [cx, cy] = only.split(',');
    return places.length === 1
      ? `<circle class="dot ${classOf(index)}" cx="${cx}" cy="${cy}" r="3"/>`
      : `<polyline class="line ${classOf(index)}" points="${places.join(' ')}"/>`;
  });
  return [...areas, ...lines];
}

/** The lines of a chart by name; the same order has the same colours in every chart. */
export function drawLegend(labels: readonly string[]): string {
  if (labels.length < 2) return '';
  const items = labels.map(
    (label, index) =>
      `<li><svg viewBox="0 0 22 8" class="key" aria-hidden="true"><path class="line ${classOf(index)}" d="M0 4H22"/></svg>${escapePlain(label)}</li>`,
  );
  return `<ul class="legend">${items.join('')}</ul>`;
}

/** A small line; a share fills the height from 0 to 1. */
export function drawSpark({ title, points }: { title: string; points: readonly Point[] }): string {
  const [width, height] = [180, 48];
  const values = points.map(([, value]) => value);
  const [low, high] = isShare(title) ? [0, 1] : rangeOf(values);
  const steps = points.map(([step]) => step);
  const x = createScale(Math.min(...steps), Math.max(...steps, (steps[0] ?? 0) + 1), 2, width - 4);
  const y = createScale(low, high, height - 3, 3);
  const places = points.map(([step, value]) => `${x.at(step)},${y.at(value)}`);
  const [cx, cy] = (places.at(-1) ?? '').split(',');
  const [first, last] = [values[0], values.at(-1)].map((value) => formatMetric(title, value));
  const words = `${title}: ${first} at step ${steps[0]}, ${last} at step ${steps.at(-1)}`;
  return `<svg class="spark" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapePlain(words)}" data-tip="${escapePlain(words)}"><path class="grid" d="M0 ${height - 3}H${width}"/><polyline class="line c0" points="${places.join(' ')}"/><circle class="dot c0" cx="${cx}" cy="${cy}" r="3"/></svg>`;
}

const rowHeight = 22;

function drawBars({ title, parts, rows, format }: BarChart): string {
  const width = 480;
  const most = Math.max(...rows.map(({ values }) => values.reduce((sum, one) => sum + one, 0)));
  if (!(most > 0)) return '<p class="empty">nothing was counted</p>';
  const used = parts.map((part, index) => ({ part, index, total: rows.reduce((sum, row) => sum + (row.values[index] ?? 0), 0) })).filter(({ total }) => total > 0); // prettier-ignore
  const legend = `<ul class="legend">${used
    .map(
      ({ part }, order) =>
        `<li><svg viewBox="0 0 10 10" class="key box" aria-hidden="true"><rect class="bar b${order % hues}" width="10" height="10"/></svg>${escapePlain(part)}</li>`,
    ) // prettier-ignore
    .join('')}</ul>`;
  const bars = rows.map(({ label, values }) => {
    const sum = values.reduce((total, one) => total + one, 0);
    let left = 0;
    const pieces = used.map(({ part, index }, order) => {
      const value = values[index] ?? 0;
      const size = (value / most) * width;
      const at = left;
      left += size;
      const words = `${label}, ${part}: ${format(value)} (${sum === 0 ? '–' : ((100 * value) / sum).toFixed(1)} %)`;
      return `<rect class="bar b${order % hues}" x="${at.toFixed(1)}" width="${size.toFixed(1)}" height="${rowHeight - 6}" data-tip="${escapePlain(words)}"><title>${escapePlain(words)}</title></rect>`;
    });
    return `<div class="barrow"><span class="barname">${escapePlain(label)}</span><svg viewBox="0 0 ${width} ${rowHeight - 6}" preserveAspectRatio="none" role="img" aria-label="${escapePlain(`${title}, ${label}: ${used.map(({ part, index }) => `${part} ${format(values[index] ?? 0)}`).join(', ')}`)}">${pieces.join('')}</svg><span class="barsum">${escapePlain(format(sum))}</span></div>`;
  });
  return `${legend}<div class="bars">${bars.join('')}</div>`;
}

function drawIntervals({ title, rows }: IntervalChart): string {
  const width = 480;
  const finite = rows.flatMap(({ low, high, mean }) => [low, high, mean]).filter(Number.isFinite);
  if (finite.length === 0) return '<p class="empty">no interval</p>';
  const reach = Math.max(0.01, ...finite.map(Math.abs)) * 1.08;
  const height = rows.length * 26 + 26;
  const x = createScale(-100 * reach, 100 * reach, 8, width - 8);
  const names = rows.map(({ label }) => `<li>${escapePlain(label)}</li>`).join('');
  const marks = rows.flatMap(({ label, mean, low, high }, index) => {
    const y = 13 + 26 * index;
    if (![mean, low, high].every(Number.isFinite))
      return [text(`x="${width / 2}" y="${y + 4}"`, 'no interval')];
    const tone = low > 0 ? 'up' : high < 0 ? 'down' : 'open';
    const words = `${label}: ${formatPoints(mean)} points [${formatPoints(low)}, ${formatPoints(high)}]`;
    return [
      `<g class="interval ${tone}" data-tip="${escapePlain(words)}"><title>${escapePlain(words)}</title><rect class="hit" x="0" y="${y - 13}" width="${width}" height="26"/><path d="M${x.at(100 * low)} ${y}H${x.at(100 * high)}M${x.at(100 * low)} ${y - 5}v10M${x.at(100 * high)} ${y - 5}v10"/><circle cx="${x.at(100 * mean)}" cy="${y}" r="4.5"/></g>`,
    ];
  });
  const base = height - 22;
  return `<div class="intervals"><ol>${names}</ol><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapePlain(title)}"><path class="axis" d="M${x.at(0)} 0V${base}"/><path class="grid" d="M8 ${base}H${width - 8}"/>${x.ticks.map((tick) => text(`x="${x.at(tick)}" y="${height - 6}" text-anchor="middle"`, x.write(tick))).join('')}${marks.join('')}</svg></div>`;
}
