import { useMemo, useState } from 'react';
import { About, type MetricFacts } from '../charts/about.js';
import { formatSeconds, formatValue, possible } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { type FieldLine, indexAt, LineField } from './line-field.js';
import type { Axis } from './selection.js';

export interface NamedLine extends FieldLine {
  readonly name: string;
}

interface Props {
  readonly metric: string;
  readonly title: string;
  readonly facts: ReadonlyMap<string, MetricFacts>;
  readonly lines: readonly NamedLine[];
  readonly axis: Axis;
  /** what a band is */
  readonly band: string;
  onBrush(range: readonly [number, number] | undefined): void;
}

const mostNamed = 12;

/** One metric of all groups or runs, with the values under the pointer. */
export function FieldPanel({ metric, title, facts, lines, axis, band, onBrush }: Props) {
  const [pointed, setPointed] = useState<number | null>(null);
  const place = pointed !== null && axis === 'step' ? Math.round(pointed) : pointed;
  const unit = facts.get(metric)?.unit ?? null;
  const drawn = useMemo(
    () =>
      lines.filter(({ y }) => y.some((value) => value !== null)).map((line) => withPossibleBand(line, unit)),
    [lines, unit],
  );
  const shown = useMemo(
    () =>
      drawn
        .map((line) => ({ line, ...valueAt(line, place) }))
        .sort((a, b) => (b.value ?? -Infinity) - (a.value ?? -Infinity)),
    [drawn, place],
  );
  const where =
    place === null
      ? 'end'
      : axis === 'step'
        ? `step ${place}`
        : axis === 'tokens'
          ? `${formatValue(place, null)} tokens`
          : formatSeconds(place);
  const hasBand = drawn.some(({ low }) => low?.some((value) => value !== null));
  return (
    <section className="card panel" data-panel={metric}>
      <header>
        <h3>{title}</h3>
        <span className="faint small">{unit === '1' || unit === 'probability' ? '' : unit}</span>
        <About title={title} metrics={[metric]} facts={facts} />
        <span className="faint small at">
          {where}
          {hasBand && ` · ${band}`}
        </span>
      </header>
      {drawn.length === 0 ? (
        <p className="note small muted">No run reported {toVisible(metric)} in these steps.</p>
      ) : (
        <LineField
          title={title}
          lines={drawn}
          axis={axis}
          unit={unit}
          isSparse={metric.startsWith('validation/')}
          onBrush={onBrush}
          onHover={setPointed}
        />
      )}
      <ul className="legend">
        {shown.slice(0, mostNamed).map(({ line, value, low, high }, index) => (
          <li key={index} title={line.name}>
            <i
              style={{ background: `var(${line.color})`, color: `var(${line.color})` }}
              className={line.dash.length === 0 ? '' : 'dashed'}
            />
            <span className="cut">{line.name}</span>
            <b>{formatValue(value, unit)}</b>
            {low !== null && high !== null && (
              <span className="faint">
                [{formatValue(low, unit)}, {formatValue(high, unit)}]
              </span>
            )}
          </li>
        ))}
        {shown.length > mostNamed && <li className="faint">and {shown.length - mostNamed} below these</li>}
      </ul>
    </section>
  );
}

/** Student's interval of a few shares reaches beyond 0 and 1; what no share can be is cut off. */
const withPossibleBand = (line: NamedLine, unit: string | null): NamedLine => ({
  ...line,
  low: line.low?.map((value) => possible(value, unit)),
  high: line.high?.map((value) => possible(value, unit)),
});

/** The newest value at or before a place; where the pointer is nowhere, the last. */
function valueAt(
  { x, y, low, high }: NamedLine,
  place: number | null,
): { value: number | null; low: number | null; high: number | null } {
  const none = { value: null, low: null, high: null };
  if (place !== null && (place < (x[0] ?? 0) || place > (x.at(-1) ?? 0))) return none;
  for (let at = place === null ? x.length - 1 : indexAt(x, place + 1e-9) - 1; at >= 0; at--) {
    const value = y[at];
    if (typeof value === 'number') return { value, low: low?.[at] ?? null, high: high?.[at] ?? null };
  }
  return none;
}
