/** @file The whole trajectory at a glance: value against position over its tokens, shade, and where it was clipped. */
import { type PointerEvent, useEffect, useMemo, useRef } from 'react';
import { useWidth } from '../charts/use-width.js';
import type { OpenedTrajectory } from '../data/types.js';
import { formatNumber } from '../format/numbers.js';
import { colorOf, useTheme } from '../parts/theme.js';
import { segmentsOf, tellVersion } from '../trajectories/weights.js';
import { type Measure, placeOf, seriesOf, shadeOf } from './measures.js';

type Summary = OpenedTrajectory['tokenSummary'];

interface Props {
  readonly summary: Summary;
  readonly measure: Measure;
  readonly turns: OpenedTrajectory['turns'];
  readonly chosen: number | undefined;
  /** first and last token in view */
  readonly view: readonly [number, number];
  onPick(token: number): void;
}

/** changes of the weights that are marked; more would hide the values */
const mostMarked = 60;
const sizes = { plot: 56, shade: 12, clip: 6, gap: 2 };
const height = sizes.plot + sizes.shade + sizes.clip + 2 * sizes.gap;

export function TokenMap({ summary, measure, turns, chosen, view, onPick }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  // where the weights changed
  const segments = useMemo(() => segmentsOf(turns), [turns]);
  const area = useRef<HTMLDivElement>(null);
  const width = useWidth(area);
  useEffect(() => {
    if (canvas.current !== null && width > 0) draw(canvas.current, width, summary, measure);
  }, [width, summary, measure, theme]);
  const tokenAt = (event: PointerEvent<HTMLElement>): number => {
    const { left, width: wide } = event.currentTarget.getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientX - left) / wide));
    return Math.min(summary.total - 1, Math.floor(share * summary.total));
  };
  const percent = (token: number): string => `${(token / Math.max(1, summary.total)) * 100}%`;
  const wide = Math.max(0.4, ((view[1] - view[0]) / Math.max(1, summary.total)) * 100);
  return (
    <div className="token-map">
      <span className="ends small faint">
        <span>{formatNumber(Math.max(measure.from, measure.to))}</span>
        <span>{formatNumber(Math.min(measure.from, measure.to))}</span>
      </span>
      <div
        className="area"
        ref={area}
        style={{ height }}
        role="img"
        aria-label={`${measure.label} over all ${summary.total} tokens; click to go there`}
        onPointerDown={(event) => onPick(tokenAt(event))}
        onPointerMove={(event) => event.buttons === 1 && onPick(tokenAt(event))}
      >
        <canvas ref={canvas} style={{ width: '100%', height }} />
        {segments.slice(1, mostMarked).map(({ start, version }) => (
          <i
            key={start}
            className="version"
            style={{ left: percent(start) }}
            title={`From here on sampled by ${tellVersion(version, undefined)}`}
          />
        ))}
        <i className="view" style={{ left: percent(view[0]), width: `${wide}%` }} />
        {chosen !== undefined && <i className="here" style={{ left: percent(chosen + 0.5) }} />}
      </div>
    </div>
  );
}

function draw(canvas: HTMLCanvasElement, width: number, summary: Summary, measure: Measure): void {
  const ratio = devicePixelRatio;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.scale(ratio, ratio);
  const count = summary.sampled.length;
  const x = (bucket: number): number => (bucket / count) * width;
  const step = Math.max(1, width / count);
  const [least, most] = [Math.min(measure.from, measure.to), Math.max(measure.from, measure.to)];
  const y = (value: number): number =>
    (1 - (Math.max(least, Math.min(most, value)) - least) / (most - least)) * (sizes.plot - 2) + 1;
  context.fillStyle = colorOf('--sunken');
  context.fillRect(0, 0, width, sizes.plot);
  const top = sizes.plot + sizes.gap;
  context.fillRect(0, top, width, sizes.shade);
  if (measure.middle !== undefined) {
    context.fillStyle = colorOf('--line-strong');
    context.fillRect(0, y(measure.middle), width, 1);
  }
  const series = seriesOf(summary, measure);
  const colors = new Map(['--token-one', '--token-low', '--token-high'].map((name) => [name, colorOf(name)]));
  series?.means.forEach((mean, bucket) => {
    if (mean === null) return;
    const [low, high] = [series.minima[bucket] ?? mean, series.maxima[bucket] ?? mean];
    const extreme = Math.abs(placeOf(measure, low)) > Math.abs(placeOf(measure, high)) ? low : high;
    const { color, share } = shadeOf(measure, extreme);
    context.globalAlpha = 0.35;
    context.fillStyle = colors.get(color) ?? '';
    context.fillRect(x(bucket), y(high), step, Math.max(1, y(low) - y(high)));
    context.globalAlpha = share / 100;
    context.fillRect(x(bucket), top, step, sizes.shade);
    context.globalAlpha = 1;
    context.fillStyle = colorOf('--text');
    context.fillRect(x(bucket), y(mean) - 0.75, step, 1.5);
  });
  context.fillStyle = colorOf('--bad');
  summary.clipped?.forEach((clipped, bucket) => {
    if ((clipped ?? 0) > 0) context.fillRect(x(bucket), top + sizes.shade + sizes.gap, step, sizes.clip);
  });
}
