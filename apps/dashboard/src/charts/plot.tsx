/** @file A line chart on a canvas. Charts of a page share their cursor; a click chooses a step. */
import { useEffect, useMemo, useRef } from 'react';
import uPlot from 'uplot';
import { formatTicks } from '../format/numbers.js';
import { colorOf, useTheme } from '../parts/theme.js';
import type { Range } from '../routing/run-filter.js';
import type { Column } from './series.js';
import { useWidth } from './use-width.js';

export interface PlotLine {
  readonly label: string;
  readonly values: Column;
  /** of the custom property */
  readonly color: string;
  readonly dash?: number[];
  /** marks every point, and joins over steps without one */
  readonly isSparse?: boolean;
  /** the ends of its interval */
  readonly band?: readonly [low: Column, high: Column] | undefined;
}

/** Something that happened at a step. */
export interface Mark {
  readonly step: number;
  readonly color: string;
  readonly dash: number[];
}

export interface PlotProps {
  readonly title: string;
  readonly steps: readonly number[];
  readonly lines: readonly PlotLine[];
  readonly isStacked?: boolean | undefined;
  readonly isLogarithmic?: boolean | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly unit: string | null;
  /** what 0, 1, 2 … stand for */
  readonly names?: readonly string[] | undefined;
  readonly marks?: readonly Mark[];
  readonly step?: number | undefined;
  /** only these steps are drawn */
  readonly range?: Range | undefined;
  readonly sync: string;
  readonly height?: number;
  onPick?(step: number): void;
  /** steps that were dragged over; undefined, after a double click: all. Without it, dragging magnifies this chart alone. */
  onBrush?(range: Range | undefined): void;
  /** the row under the pointer; null: none */
  onHover(row: number | null): void;
}

export function Plot(props: PlotProps) {
  const { steps, lines, range, height = 132 } = props;
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>();
  const latest = useRef(props);
  latest.current = props;
  const theme = useTheme();
  const width = useWidth(place);
  const data = useMemo(() => toData(steps, lines), [steps, lines]);
  const shape = JSON.stringify([
    lines.map(({ label, color, dash, isSparse, band }) => [label, color, dash, isSparse, band !== undefined]),
    theme,
    props.unit,
    props.isLogarithmic,
  ]);
  useEffect(() => {
    if (place.current === null || width === 0) return undefined;
    const made = new uPlot(optionsOf(latest, width, height), data, place.current);
    chart.current = made;
    return () => {
      made.destroy();
      chart.current = undefined;
    };
    // data that changes alone is set below
  }, [shape, width, height]);
  useEffect(() => chart.current?.setData(data), [data, range?.from, range?.to]);
  useEffect(() => chart.current?.redraw(), [props.marks, props.step]);
  return (
    <div ref={place} className="plot" role="img" aria-label={`Chart: ${props.title}`} style={{ height }} />
  );
}

/** Steps, the ends of all intervals, then the lines, which are drawn over them. */
function toData(steps: readonly number[], lines: readonly PlotLine[]): uPlot.AlignedData {
  const ends = lines.flatMap(({ band = [] }) => band);
  return [[...steps], ...ends, ...lines.map(({ values }) => values)] as uPlot.AlignedData;
}

/** The ends of an interval, which only its band shows. */
const hidden: uPlot.Series = { width: 0, points: { show: false } };

function optionsOf(latest: { readonly current: PlotProps }, width: number, height: number): uPlot.Options {
  const { lines, isStacked = false, isLogarithmic = false, sync, onBrush } = latest.current;
  const banded = lines.filter(({ band }) => band !== undefined);
  const bounds = banded.flatMap((): uPlot.Series[] => [hidden, hidden]);
  const first = bounds.length + 1;
  const bands: uPlot.Band[] = isStacked
    ? lines.slice(1).map((line, at) => ({
        series: [first + at + 1, first + at],
        fill: fade(colorOf(line.color), 0.55),
      }))
    : [];
  for (const [at, { color }] of banded.entries())
    bands.push({ series: [2 * at + 2, 2 * at + 1], fill: fade(colorOf(color), 0.18) });
  return {
    width,
    height,
    padding: [8, 14, 0, 0],
    legend: { show: false },
    scales: {
      x: {
        time: false,
        range: (_, least, most) => stepsOf(least, most, latest.current.range),
      },
      y: isLogarithmic ? { distr: 3 } : { range: (_, least, most) => rangeOf(least, most, latest.current) },
    },
    axes: axesOf(latest.current),
    cursor: {
      sync: { key: sync },
      drag: { x: true, y: false, setScale: onBrush === undefined },
      ...(onBrush === undefined ? {} : { bind: { dblclick: () => null } }),
      points: { size: 5 },
      y: false,
    },
    bands,
    series: [
      {},
      ...bounds,
      ...lines.map((line, at): uPlot.Series => ({
        label: line.label,
        stroke: colorOf(line.color),
        width: isStacked ? 1 : 1.6,
        dash: line.dash ?? [],
        spanGaps: false,
        ...(isStacked && at === 0 ? { fill: fade(colorOf(line.color), 0.55) } : {}),
        points:
          line.isSparse === true ? { show: true, size: 5, fill: colorOf('--surface') } : { show: showLonely },
      })),
    ],
    hooks: {
      setCursor: [(made) => latest.current.onHover(made.cursor.idx ?? null)],
      drawClear: [(made) => drawMarks(made, latest.current)],
      ready: [(made) => listenForPicks(made, latest)],
      setSelect: [(made) => brush(made, latest.current)],
    },
  };
}

function axesOf({ unit, names, isLogarithmic = false }: PlotProps): uPlot.Axis[] {
  const axis = { stroke: colorOf('--faint'), font: `11px ${colorOf('--sans')}`, ticks: { show: false } };
  const grid = colorOf('--line');
  return [
    {
      ...axis,
      size: 22,
      gap: 2,
      space: 56,
      grid: { show: false },
      incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5],
    },
    {
      ...axis,
      gap: 4,
      space: 24,
      size: names === undefined ? 50 : 66,
      grid: { stroke: grid, width: 1, ...(isLogarithmic ? { filter: keepPowers } : {}) },
      ...(names === undefined ? {} : { splits: () => names.map((_, at) => at) }),
      ...(isLogarithmic ? { filter: keepPowers } : {}),
      values: (_, splits) => tellTicks(splits, unit, names),
    },
  ];
}

/** What stands beside the lines of a chart; null: the line is left out. */
function tellTicks(
  splits: readonly (number | null)[],
  unit: string | null | undefined,
  names: readonly string[] | undefined,
): string[] {
  const told = formatTicks(
    splits.filter((value) => value !== null),
    unit,
  );
  return splits.map((value) => (value === null ? '' : (names?.[value] ?? told.shift() ?? '')));
}

/** Only powers of ten get a line. */
const keepPowers = (_: uPlot, splits: (number | null)[]): (number | null)[] =>
  splits.map((value) =>
    value !== null && Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6) ? value : null,
  );

/** Points are drawn where lines cannot be: beside gaps, and where there are few. */
const showLonely: uPlot.Series.Points.Show = (made, index) => {
  const values = made.data[index] ?? [];
  return (
    values.length < 3 ||
    values.some(
      (value, at) =>
        typeof value === 'number' && typeof values[at - 1] !== 'number' && typeof values[at + 1] !== 'number',
    )
  );
};

function stepsOf(least: number, most: number, range: Range | undefined): uPlot.Range.MinMax {
  if (range !== undefined && range.from < range.to) return [range.from, range.to];
  return least === most ? [least - 0.5, most + 0.5] : [least, most];
}

function rangeOf(least: number | null, most: number | null, { from, to }: PlotProps): uPlot.Range.MinMax {
  if (least === null || most === null) return [from ?? 0, to ?? 1];
  const low = Math.min(least, from ?? Infinity);
  const high = Math.max(most, to ?? -Infinity);
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return [low === from ? low : low - room, high === to ? high + room / 2 : high + room];
}

function drawMarks(made: uPlot, { marks = [], step }: PlotProps): void {
  const { ctx, bbox } = made;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  const draw = (at: number, color: string, dash: readonly number[]): void => {
    const x = Math.round(made.valToPos(at, 'x', true)) + 0.5;
    if (x < bbox.left || x > bbox.left + bbox.width) return;
    ctx.strokeStyle = color;
    ctx.setLineDash(dash.map((length) => length * devicePixelRatio));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  };
  for (const mark of marks) draw(mark.step, colorOf(mark.color), mark.dash);
  if (step !== undefined) draw(step, colorOf('--accent'), []);
  ctx.restore();
}

/** Charts of a page select together; only the one that was pressed last tells of it. */
let pressedChart: uPlot | undefined;

function listenForPicks(made: uPlot, latest: { readonly current: PlotProps }): void {
  let pressed = 0;
  made.over.addEventListener('mousedown', ({ clientX }) => {
    pressed = clientX;
    pressedChart = made;
  });
  made.over.addEventListener('click', ({ clientX }) => {
    const { idx } = made.cursor;
    const step = idx === null || idx === undefined ? undefined : made.data[0][idx];
    if (step !== undefined && Math.abs(clientX - pressed) < 4) latest.current.onPick?.(step);
  });
  made.over.addEventListener('dblclick', () => latest.current.onBrush?.(undefined));
}

function brush(made: uPlot, { steps, onBrush, onPick }: PlotProps): void {
  const { left, width } = made.select;
  if (onBrush === undefined || width === 0) return;
  made.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (made !== pressedChart || width < 4) return;
  const last = steps.at(-1) ?? 0;
  const nearest = (place: number): number =>
    Math.min(last, Math.max(0, Math.round(made.posToVal(place, 'x'))));
  const [from, to] = [nearest(left), nearest(left + width)];
  if (from < to) onBrush({ from, to });
  else onPick?.(from);
}

/** A colour of six hexadecimal digits with an opacity. */
function fade(color: string, opacity: number): string {
  return /^#[\da-f]{6}$/i.test(color)
    ? `${color}${Math.round(opacity * 255)
        .toString(16)
        .padStart(2, '0')}`
    : color;
}
