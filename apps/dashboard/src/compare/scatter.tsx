/** @file Any setting or outcome against any other: a dot for each run, which opens it. */
import { Term } from '../charts/term.js';
import { useState } from 'react';
import { formatCount, formatNumber } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { navigate, toPath, useSearch } from '../routing/router.js';
import { scaleOf } from './scale.js';
import { type Dimension, statistics, type Statistic } from './selection.js';

interface Props {
  readonly dimensions: readonly Dimension[];
  /** settings of which no two change together */
  readonly telling: readonly Dimension[];
  /** metrics that are not read yet */
  readonly more: readonly string[];
  readonly statistic: Statistic;
  readonly ids: readonly string[];
  readonly kept: readonly boolean[];
  colorOf(id: string): string;
  nameOf(id: string): string;
}

const [width, height] = [520, 300];
const [left, right, top, bottom] = [58, 10, 12, 26];
const pad = 0.04;
const toX = (place: number): number => left + (pad + place * (1 - 2 * pad)) * (width - left - right);
const toY = (place: number): number =>
  height - bottom - (pad + place * (1 - 2 * pad)) * (height - top - bottom);

/** A number of three digits, or a value of a setting as it is. */
export const showValue = (value: number | string | null | undefined): string =>
  typeof value === 'string' ? toVisible(value) : formatNumber(value);

export function Scatter({ dimensions, telling, more, statistic, ids, kept, colorOf, nameOf }: Props) {
  const [search] = useSearch();
  const [over, setOver] = useState<number>();
  const outcomes = dimensions.filter(({ kind }) => kind === 'outcome');
  const settings = dimensions.filter(({ kind }) => kind === 'setting');
  const find = (name: string | null, fallback: Dimension | undefined): Dimension | undefined =>
    dimensions.find((one) => one.name === name) ?? fallback;
  const firstSetting = telling.find(({ isNumeric }) => isNumeric) ?? telling[0] ?? settings[0];
  const x = find(search.get('x'), firstSetting ?? outcomes[1] ?? outcomes[0]);
  const y = find(search.get('y'), outcomes[0] ?? settings[0]);
  if (x === undefined || y === undefined) return null;
  const [horizontal, vertical] = [scaleOf(x), scaleOf(y)];
  const dots = ids.flatMap((id, run) => {
    const at = [horizontal.place(x.values[run]), vertical.place(y.values[run])] as const;
    return at[0] === undefined || at[1] === undefined ? [] : [{ id, run, x: toX(at[0]), y: toY(at[1]) }];
  });
  const shown = dots.filter(({ run }) => kept[run]);
  const absent = kept.filter(Boolean).length - shown.length;
  const choices = {
    settings: settings.map(({ name }) => name),
    outcomes: [...new Set([...outcomes.map(({ name }) => name), ...more])],
    statistic,
  };
  const dot = over === undefined ? undefined : shown.find(({ run }) => run === over);
  return (
    <section className="card" data-part="scatter">
      <header>
        <h2>One against another</h2>
        <Term title="a dot" of={['RunComparison.runs.value']} />
        <span className="row small">
          <AxisPicker name="y" chosen={y.name} {...choices} /> <span className="muted">against</span>{' '}
          <AxisPicker name="x" chosen={x.name} {...choices} />
        </span>
      </header>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        className="scatter"
        role="group"
        aria-label={`${y.name} against ${x.name}`}
      >
        {vertical.ticks.map(({ place, value }) => (
          <g key={String(value)}>
            <line x1={left} x2={width - right} y1={toY(place)} y2={toY(place)} className="grid" />
            <text x={left - 6} y={toY(place) + 4} textAnchor="end">
              {showValue(value).slice(0, 9)}
            </text>
          </g>
        ))}
        {horizontal.ticks.map(({ place, value }) => (
          <text key={String(value)} x={toX(place)} y={height - 8} textAnchor="middle">
            {showValue(value).slice(0, 14)}
          </text>
        ))}
        {shown.map(({ id, run, x: at, y: up }) => (
          <a
            key={id}
            href={toPath('runs', id)}
            aria-label={`${nameOf(id)}: ${showValue(y.values[run])} at ${showValue(x.values[run])}`}
            onMouseEnter={() => setOver(run)}
            onMouseLeave={() => setOver(undefined)}
            onFocus={() => setOver(run)}
            onBlur={() => setOver(undefined)}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              navigate(toPath('runs', id));
            }}
          >
            <circle cx={at} cy={up} r={run === over ? 7 : 5} style={{ fill: `var(${colorOf(id)})` }} />
          </a>
        ))}
      </svg>
      <p className="note small muted">
        {dot === undefined
          ? `${formatCount(shown.length, 'run')}${absent > 0 ? `; ${absent} without one of both are not drawn` : ''}. A dot opens its run.${horizontal.isLogarithmic || vertical.isLogarithmic ? ' Where values span three powers of ten the scale is logarithmic.' : ''}`
          : `${nameOf(dot.id)}: ${showValue(y.values[dot.run])} at ${showValue(x.values[dot.run])}`}
      </p>
    </section>
  );
}

function AxisPicker({
  name,
  chosen,
  settings,
  outcomes,
  statistic,
}: {
  readonly name: 'x' | 'y';
  readonly chosen: string;
  readonly settings: readonly string[];
  readonly outcomes: readonly string[];
  readonly statistic: Statistic;
}) {
  const [, setSearch] = useSearch();
  const option = (one: string) => (
    <option key={one} value={one}>
      {toVisible(one)}
    </option>
  );
  return (
    <select
      aria-label={name === 'x' ? 'Across' : 'Upwards'}
      value={chosen}
      onChange={(event) => setSearch({ [name]: event.target.value })}
    >
      <optgroup label={`Outcomes, ${statistics[statistic]}`}>{outcomes.map(option)}</optgroup>
      <optgroup label="Settings that differ">{settings.map(option)}</optgroup>
    </select>
  );
}
