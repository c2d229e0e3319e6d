/** @file Parallel coordinates: an axis for each setting that differs and each outcome, a line for each run. Brushes filter the page. */
import { Term } from '../charts/term.js';
import { type PointerEvent, useRef, useState } from 'react';
import { toVisible } from '../format/visible-text.js';
import { More, type ShownPart } from '../parts/more.js';
import { type Scale, scaleOf } from './scale.js';
import { showValue } from './scatter.js';
import { type Brushes, type Dimension, statistics, type Statistic } from './selection.js';

interface Props {
  readonly dimensions: readonly Dimension[];
  /** how many of the options that differ have an axis */
  readonly part: ShownPart;
  readonly statistic: Statistic;
  readonly ids: readonly string[];
  readonly kept: readonly boolean[];
  readonly brushes: Brushes;
  colorOf(id: string): string;
  onBrush(brushes: Brushes): void;
}

const [height, top, bottom, gap] = [300, 44, 18, 132];
const toY = (place: number): number => height - bottom - place * (height - top - bottom);
const toPlace = (y: number): number =>
  Math.min(1, Math.max(0, (height - bottom - y) / (height - top - bottom)));

export function Parallel({ dimensions, part, statistic, ids, kept, brushes, colorOf, onBrush }: Props) {
  const drawn = dimensions.map((dimension) => ({ dimension, scale: scaleOf(dimension) }));
  const width = Math.max(2, drawn.length) * gap;
  const xOf = (at: number): number => gap / 2 + at * gap;
  const change = (name: string, brush: Brushes[string] | undefined): void => {
    const { [name]: _old, ...others } = brushes;
    onBrush(brush === undefined ? others : { ...others, [name]: brush });
  };
  const line = (run: number): string => {
    let path = '';
    let isDown = false;
    drawn.forEach(({ dimension, scale }, at) => {
      const place = scale.place(dimension.values[run]);
      if (place === undefined) isDown = false;
      else {
        path += `${isDown ? 'L' : 'M'}${xOf(at)} ${toY(place).toFixed(1)}`;
        isDown = true;
      }
    });
    return path;
  };
  return (
    <section className="card" data-part="parallel">
      <header>
        <h2>Settings and outcomes</h2>
        <Term title="a line" of={['RunComparison.runs.value']} />
        <span className="small muted">
          outcomes: {statistics[statistic]}. Drag along an axis to keep those runs only.
        </span>
      </header>
      <div className="scroll" tabIndex={0} role="group" aria-label="Parallel coordinates">
        <svg
          viewBox={`0 0 ${width} ${height}`}
          style={{ width: Math.max(width, 320), height }}
          className="parallel"
        >
          {ids.map((id, run) => (kept[run] ? null : <path key={id} d={line(run)} className="out" />))}
          {ids.map((id, run) =>
            kept[run] ? <path key={id} d={line(run)} style={{ stroke: `var(${colorOf(id)})` }} /> : null,
          )}
          {drawn.map(({ dimension, scale }, at) => (
            <ParallelAxis
              key={dimension.name}
              x={xOf(at)}
              dimension={dimension}
              scale={scale}
              brush={brushes[dimension.name]}
              onBrush={(brush) => change(dimension.name, brush)}
            />
          ))}
        </svg>
      </div>
      <div className="note">
        <More of={part} what="options" />
      </div>
      <Limits dimensions={dimensions} brushes={brushes} change={change} onBrush={onBrush} />
    </section>
  );
}

interface AxisProps {
  readonly x: number;
  readonly dimension: Dimension;
  readonly scale: Scale;
  readonly brush: Brushes[string] | undefined;
  onBrush(brush: Brushes[string] | undefined): void;
}

function ParallelAxis({ x, dimension: { name, kind, isNumeric }, scale, brush, onBrush }: AxisProps) {
  const [drag, setDrag] = useState<readonly [number, number]>();
  const place = useRef<SVGRectElement>(null);
  const at = (event: PointerEvent): number => {
    const { top: edge, height: tall } = place.current?.getBoundingClientRect() ?? { top: 0, height: 1 };
    return toPlace(top - 8 + ((event.clientY - edge) / tall) * (height - top - bottom + 16));
  };
  const end = (): void => {
    if (drag === undefined) return;
    setDrag(undefined);
    const [low, high] = [Math.min(...drag), Math.max(...drag)];
    if (high - low < 0.01 && isNumeric) return onBrush(undefined);
    if (isNumeric) return onBrush([scale.valueAt(low), scale.valueAt(high)]);
    const near = scale.ticks.filter((tick) => tick.place >= low - 0.03 && tick.place <= high + 0.03);
    onBrush(near.length === 0 ? undefined : near.map(({ value }) => String(value)));
  };
  const places = drag ?? placesOf(brush, scale);
  const short = name
    .split(/[./]/)
    .slice(-2)
    .join(kind === 'setting' ? '.' : '/');
  return (
    <g>
      <text x={x} y={18} textAnchor="middle" className="name">
        <title>{name}</title>
        {toVisible(short).slice(0, 20)}
      </text>
      <line x1={x} x2={x} y1={toY(0)} y2={toY(1)} className="axis" />
      {scale.ticks.map((tick) => (
        <text key={String(tick.value)} x={x + 6} y={toY(tick.place) + 4} className="tick">
          {showValue(tick.value).slice(0, 14)}
        </text>
      ))}
      {places !== undefined && (
        <rect
          className="brush"
          x={x - 7}
          width={14}
          y={toY(Math.max(...places)) - 3}
          height={toY(Math.min(...places)) - toY(Math.max(...places)) + 6}
        />
      )}
      <rect
        ref={place}
        className="touch"
        x={x - 20}
        width={40}
        y={top - 8}
        height={height - top - bottom + 16}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag([at(event), at(event)]);
        }}
        onPointerMove={(event) => setDrag((old) => old && [old[0], at(event)])}
        onPointerUp={end}
      />
    </g>
  );
}

function placesOf(brush: Brushes[string] | undefined, scale: Scale): readonly number[] | undefined {
  const places = brush?.flatMap((value) => scale.place(value) ?? []);
  return places === undefined || places.length === 0 ? undefined : places;
}

/** The brushes in words, each to take back, and the same by keyboard. */
function Limits({
  dimensions,
  brushes,
  change,
  onBrush,
}: {
  readonly dimensions: readonly Dimension[];
  readonly brushes: Brushes;
  change(name: string, brush: Brushes[string] | undefined): void;
  onBrush(brushes: Brushes): void;
}) {
  const [name, setName] = useState('');
  const dimension = dimensions.find((one) => one.name === name);
  const keep = (form: FormData): void => {
    const [low, high] = ['low', 'high'].map((field) => Number(form.get(field)));
    if (dimension?.isNumeric === true && Number.isFinite(low) && Number.isFinite(high))
      change(name, [Math.min(low ?? 0, high ?? 0), Math.max(low ?? 0, high ?? 0)]);
    else if (dimension?.isNumeric === false) change(name, [String(form.get('value'))]);
  };
  const numbers = (dimension?.values ?? []).filter((value): value is number => typeof value === 'number');
  return (
    <form
      className="row note small"
      onSubmit={(event) => {
        event.preventDefault();
        keep(new FormData(event.currentTarget));
      }}
    >
      {Object.entries(brushes).map(([of, brush]) => (
        <button key={of} type="button" aria-pressed="true" onClick={() => change(of, undefined)}>
          {toVisible(of)}{' '}
          {brush.map((value) => showValue(value)).join(typeof brush[0] === 'number' ? ' – ' : ', ')} ✕
        </button>
      ))}
      {Object.keys(brushes).length > 1 && (
        <button type="button" className="plain" onClick={() => onBrush({})}>
          keep all
        </button>
      )}
      <select aria-label="Keep by" value={name} onChange={(event) => setName(event.target.value)}>
        <option value="">Keep runs by …</option>
        {dimensions.map((one) => (
          <option key={one.name} value={one.name}>
            {toVisible(one.name)}
          </option>
        ))}
      </select>
      {dimension?.isNumeric === true && (
        <>
          <input
            key={`${name} low`}
            name="low"
            aria-label="Least"
            size={8}
            defaultValue={Math.min(...numbers)}
          />
          <input
            key={`${name} high`}
            name="high"
            aria-label="Most"
            size={8}
            defaultValue={Math.max(...numbers)}
          />
        </>
      )}
      {dimension?.isNumeric === false && (
        <select name="value" aria-label="Value">
          {scaleOf(dimension).ticks.map(({ value }) => (
            <option key={value} value={value}>
              {toVisible(String(value))}
            </option>
          ))}
        </select>
      )}
      {dimension !== undefined && <button>Keep</button>}
    </form>
  );
}
