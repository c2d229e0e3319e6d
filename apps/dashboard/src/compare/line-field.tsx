/**
 * @file A chart of many lines that have places of their own on a common axis, with bands. uPlot draws the axes; the lines are
 * drawn here, in one path for each colour, so that hundreds pan smoothly. Drag chooses a range of steps; with shift, or by a
 * wheel that scrolls sideways, the chart pans; with ctrl the wheel zooms; a double click takes both back. Numbers that are read
 * again leave what is in view.
 */
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useWidth } from '../charts/use-width.js';
import { formatSeconds, formatValue } from '../format/numbers.js';
import { colorOf, useTheme } from '../parts/theme.js';
import type { Axis } from './selection.js';

export interface FieldLine {
  readonly color: string;
  readonly dash: readonly number[];
  readonly x: readonly number[];
  /** null: absent, which breaks the line unless it is sparse */
  readonly y: readonly (number | null)[];
  readonly low?: readonly (number | null)[] | undefined;
  readonly high?: readonly (number | null)[] | undefined;
}

interface Props {
  readonly title: string;
  readonly lines: readonly FieldLine[];
  readonly axis: Axis;
  readonly unit: string | null;
  readonly isSparse: boolean;
  readonly height?: number;
  /** @param range of steps; undefined: everything */
  onBrush(range: readonly [number, number] | undefined): void;
  /** the place under the pointer; null: none */
  onHover(x: number | null): void;
}

export function LineField(props: Props) {
  const { lines, height = 168, axis, unit } = props;
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>();
  const latest = useRef(props);
  latest.current = props;
  const view = useRef<Ends>();
  const theme = useTheme();
  const width = useWidth(place);
  useEffect(() => {
    if (place.current === null || width === 0) return undefined;
    const corners = cornersOf(latest.current.lines);
    const made = new uPlot(optionsOf(latest, view, width, height), corners, place.current);
    if (view.current !== undefined) showEnds(made, view.current);
    chart.current = made;
    return () => {
      made.destroy();
      chart.current = undefined;
    };
  }, [width, height, theme, axis, unit]);
  useEffect(() => chart.current?.setData(cornersOf(lines)), [lines]);
  return (
    <div
      ref={place}
      className="plot"
      role="img"
      aria-label={`Chart: ${props.title}`}
      title={`${axis === 'step' ? 'Drag to choose steps' : 'Steps can be chosen along steps only'}; shift and drag to pan; double-click for all`}
      style={{ height }}
    />
  );
}

/** The corners of all lines: what uPlot needs to know for its axes. */
function cornersOf(lines: readonly FieldLine[]): uPlot.AlignedData {
  let [left, right] = [Infinity, -Infinity];
  for (const { x } of lines) {
    left = Math.min(left, x[0] ?? left);
    right = Math.max(right, x.at(-1) ?? right);
  }
  let [low, high] = extentOf(lines.map(({ y }) => y));
  // the interval of two runs may be far wider than all values: it must not flatten them
  const [bottom, top] = extentOf(lines.flatMap((line) => [line.low ?? [], line.high ?? []]));
  const most = high - low || Math.abs(high) || 1;
  low = Math.max(Math.min(low, bottom), low - most / 2);
  high = Math.min(Math.max(high, top), high + most / 2);
  if (left > right) [left, right] = [0, 1];
  if (low > high) [low, high] = [0, 1];
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  if (left === right) [left, right] = [left - 0.5, right + 0.5];
  return [
    [left, right],
    [low - room, high + room],
  ];
}

function extentOf(lists: readonly (readonly (number | null)[])[]): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists)
    for (const value of list) {
      if (value === null) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  return [low, high];
}

type Ends = readonly [min: number, max: number];

interface View {
  /** what was panned or zoomed to; undefined: all */
  current: Ends | undefined;
}

const showEnds = (made: uPlot, [min, max]: Ends): void => made.setScale('x', { min, max });

function optionsOf(
  latest: { readonly current: Props },
  view: View,
  width: number,
  height: number,
): uPlot.Options {
  const { axis: along, unit } = latest.current;
  const axis = { stroke: colorOf('--faint'), font: `11px ${colorOf('--sans')}`, ticks: { show: false } };
  const show = (value: number): string =>
    along === 'seconds' ? formatSeconds(value) : formatValue(value, along === 'tokens' ? null : 'steps');
  return {
    width,
    height,
    padding: [8, 14, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, auto: () => view.current === undefined },
      // of all lines: uPlot would take the corners that are in view, of which there may be none
      y: { range: ({ data: [, ends] }) => [ends?.[0] ?? 0, ends?.[1] ?? 1] },
    },
    axes: [
      {
        ...axis,
        size: 22,
        gap: 2,
        space: 64,
        grid: { show: false },
        ...(along === 'step'
          ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5] }
          : {}),
        values: (_, splits) => splits.map(show),
      },
      {
        ...axis,
        size: 50,
        gap: 4,
        space: 24,
        grid: { stroke: colorOf('--line'), width: 1 },
        values: (_, splits) => splits.map((value) => formatValue(value, unit)),
      },
    ],
    // a place along tokens or time is of another step in each run
    cursor: { drag: { x: along === 'step', y: false, setScale: false }, points: { show: false }, y: false },
    series: [{}, { stroke: 'transparent', points: { show: false } }],
    hooks: {
      setCursor: [
        ({ cursor, posToVal }) =>
          latest.current.onHover(
            cursor.left === undefined || cursor.left < 0 ? null : posToVal(cursor.left, 'x'),
          ),
      ],
      setSelect: [
        (made) => {
          const { left, width: wide } = made.select;
          if (wide < 4) return;
          const ends = [made.posToVal(left, 'x'), made.posToVal(left + wide, 'x')] as const;
          made.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          latest.current.onBrush(ends);
        },
      ],
      draw: [(made) => drawLines(made, latest.current)],
      ready: [(made) => listen(made, latest, view)],
    },
  };
}

/** Lines of one colour and dash are one path. */
function drawLines(made: uPlot, { lines, isSparse }: Props): void {
  const { ctx, bbox } = made;
  const [toX, toY] = [toPixels(made, 'x'), toPixels(made, 'y')];
  const { min = 0, max = 1 } = made.scales['x'] ?? {};
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const paths = new Map<string, { color: string; dash: readonly number[]; lines: FieldLine[] }>();
  for (const line of lines) {
    const key = `${line.color} ${line.dash.join()}`;
    const path = paths.get(key) ?? { color: colorOf(line.color), dash: line.dash, lines: [] };
    paths.set(key, path);
    path.lines.push(line);
  }
  const isCrowded = lines.length > 40;
  for (const { color, dash, lines: own } of paths.values()) {
    ctx.strokeStyle = color;
    ctx.fillStyle = color;
    ctx.globalAlpha = 0.16;
    for (const line of own) fillBand(ctx, line, toX, toY);
    ctx.globalAlpha = isCrowded ? 0.55 : 1;
    ctx.lineWidth = (isCrowded ? 1 : 1.6) * devicePixelRatio;
    ctx.setLineDash(dash.map((length) => length * devicePixelRatio));
    ctx.beginPath();
    for (const line of own) addLine(ctx, line, { toX, toY, min: min ?? 0, max: max ?? 1, isSparse });
    ctx.stroke();
  }
  ctx.restore();
}

type ToPixels = (value: number) => number;

function toPixels(made: uPlot, scale: 'x' | 'y'): ToPixels {
  const [zero, one] = [made.valToPos(0, scale, true), made.valToPos(1, scale, true)];
  return (value) => zero + value * (one - zero);
}

interface Frame {
  readonly toX: ToPixels;
  readonly toY: ToPixels;
  readonly min: number;
  readonly max: number;
  readonly isSparse: boolean;
}

/** Only what is in view, and one value beyond each end. A value without neighbours is a dot. */
function addLine(
  ctx: CanvasRenderingContext2D,
  { x, y }: FieldLine,
  { toX, toY, min, max, isSparse }: Frame,
): void {
  const from = Math.max(0, indexAt(x, min) - 1);
  const to = Math.min(x.length, indexAt(x, max) + 2);
  let isDown = false;
  for (let at = from; at < to; at++) {
    const value = y[at];
    if (typeof value !== 'number') {
      if (!isSparse) isDown = false;
      continue;
    }
    const [left, top] = [toX(x[at] ?? 0), toY(value)];
    if (isDown) ctx.lineTo(left, top);
    else ctx.moveTo(left, top);
    const isLonely = !isDown && typeof y[at + 1] !== 'number';
    if (isLonely && !isSparse) ctx.lineTo(left + 2, top);
    isDown = true;
  }
}

function fillBand(
  ctx: CanvasRenderingContext2D,
  { x, low, high }: FieldLine,
  toX: ToPixels,
  toY: ToPixels,
): void {
  if (low === undefined || high === undefined) return;
  const known = x.flatMap((place, at) =>
    typeof low[at] === 'number' && typeof high[at] === 'number' ? [[place, low[at], high[at]] as const] : [],
  );
  ctx.beginPath();
  for (const [place, , top] of known) ctx.lineTo(toX(place), toY(top));
  for (const [place, bottom] of known.reverse()) ctx.lineTo(toX(place), toY(bottom));
  ctx.fill();
}

/** The first index whose place is at least this. */
export function indexAt(x: readonly number[], place: number): number {
  let [low, high] = [0, x.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

function listen(made: uPlot, latest: { readonly current: Props }, view: View): void {
  const { over } = made;
  const range = (): Ends => [made.scales['x']?.min ?? 0, made.scales['x']?.max ?? 1];
  const goTo = (ends: Ends): void => {
    view.current = ends;
    showEnds(made, ends);
  };
  const panBy = (pixels: number, [min, max]: Ends): void => {
    const by = (pixels / over.clientWidth) * (max - min);
    goTo([min + by, max + by]);
  };
  over.addEventListener(
    'mousedown',
    (event) => {
      if (!event.shiftKey && event.button !== 1) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const begin = range();
      const move = ({ clientX }: MouseEvent): void => panBy(event.clientX - clientX, begin);
      const end = (): void => {
        window.removeEventListener('mousemove', move);
        window.removeEventListener('mouseup', end);
      };
      window.addEventListener('mousemove', move);
      window.addEventListener('mouseup', end);
    },
    true,
  );
  over.addEventListener(
    'wheel',
    (event) => {
      const isZoom = event.ctrlKey || event.metaKey;
      const sideways = event.deltaX !== 0 ? event.deltaX : event.shiftKey ? event.deltaY : 0;
      if (!isZoom && sideways === 0) return;
      event.preventDefault();
      const [min, max] = range();
      if (!isZoom) return panBy(sideways, [min, max]);
      const at = made.posToVal(event.offsetX, 'x');
      const by = Math.exp(event.deltaY / 300);
      goTo([at - (at - min) * by, at + (max - at) * by]);
    },
    { passive: false },
  );
  over.addEventListener('dblclick', () => {
    view.current = undefined;
    made.setData(cornersOf(latest.current.lines));
    latest.current.onBrush(undefined);
  });
}
