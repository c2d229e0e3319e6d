import { useMemo, useState } from 'react';
import { formatValue } from '../format/numbers.js';
import { About, type MetricFacts } from './about.js';
import { linesOf, type PanelDefinition, type PanelLine } from './panels.js';
import { lineColor, lineDash } from './line-style.js';
import { type Mark, Plot, type PlotLine } from './plot.js';
import { type Range, tellRange } from '../routing/run-filter.js';
import { alignLines, type RunMetrics, valueIn } from './series.js';
import { stackSeries } from './stack.js';

interface Props {
  readonly panel: PanelDefinition;
  readonly metrics: RunMetrics;
  readonly facts: ReadonlyMap<string, MetricFacts>;
  readonly marks: readonly Mark[];
  readonly step: number | undefined;
  /** only these steps are drawn */
  readonly range: Range | undefined;
  onPick(step: number): void;
  onBrush(range: Range | undefined): void;
}

/** A chart with its title, unit, explanation, and the values under the pointer. */
export function Panel({ panel, metrics, facts, marks, step, range, onPick, onBrush }: Props) {
  const [row, setRow] = useState<number | null>(null);
  const drawn = useMemo(() => draw(panel, metrics), [panel, metrics]);
  const unit = facts.get(drawn.lines[0]?.metric ?? '')?.unit ?? null;
  const picked = drawn.spans.findLastIndex(({ from }) => from <= (step ?? range?.to ?? -1));
  const show = (value: number | null | undefined, of: string | null): string =>
    panel.names?.[value ?? -1] ?? formatValue(value, of);
  const at = row ?? (picked >= 0 ? picked : drawn.steps.length - 1);
  return (
    <section className="card panel" data-panel={panel.id}>
      <header>
        <h3>{panel.title}</h3>
        {unit !== null && unit !== '1' && unit !== 'probability' && (
          <span className="faint small">{unit}</span>
        )}
        <About
          title={panel.title}
          metrics={drawn.lines.flatMap(({ metric, interval = [] }) => [metric, ...interval])}
          facts={facts}
        />
        <span className="faint small at">{tellSpan(drawn.spans[at])}</span>
      </header>
      <Plot
        title={panel.title}
        steps={drawn.steps}
        lines={drawn.plotted}
        isStacked={panel.isStacked}
        isLogarithmic={panel.isLogarithmic}
        from={panel.from}
        to={panel.to}
        unit={unit}
        names={panel.names}
        marks={marks}
        step={step}
        range={range}
        sync="overview"
        onPick={onPick}
        onBrush={onBrush}
        onHover={setRow}
      />
      <ul className="legend">
        {drawn.lines.length === 0 && <li>none so far</li>}
        {drawn.lines.map(({ metric, label }, index) => (
          <li key={metric}>
            <i style={{ background: `var(${lineColor(index)})` }} className={index < 8 ? '' : 'dashed'} />
            <span className="cut">{label}</span>
            <b>
              {show(
                valueIn(drawn.own[index], at, panel.isStacked === true ? at : 0),
                facts.get(metric)?.unit ?? unit,
              )}
            </b>
          </li>
        ))}
      </ul>
    </section>
  );
}

const tellSpan = (span: Range | undefined): string =>
  span === undefined ? '' : span.from === span.to ? `step ${span.from}` : `mean of ${tellRange(span)}`;

function draw(panel: PanelDefinition, { series }: RunMetrics) {
  const isAlwaysZero = (metric: string): boolean =>
    series[metric]?.values.every((value) => value === 0) ?? true;
  const lines = linesOf(panel, Object.keys(series), isAlwaysZero);
  const styleOf = (index: number) => ({ color: lineColor(index), dash: lineDash(index) });
  if (panel.isStacked === true) {
    const { steps, spans, own, stacked } = stackSeries(lines.map(({ metric }) => series[metric]));
    const plotted = lines.map(({ label }, index): PlotLine => ({
      label,
      values: stacked[index] ?? [],
      isSparse: false,
      ...styleOf(index),
    }));
    return { lines, steps, spans, own, plotted };
  }
  const { steps, columns } = alignLines([
    ...lines.map(({ metric, isSparse = false }) => ({ series: series[metric], isSparse })),
    ...lines.flatMap(({ interval = [], isSparse = false }) =>
      interval.map((metric) => ({ series: series[metric], isSparse })),
    ),
  ]);
  const own = columns.slice(0, lines.length);
  const bounds = columns.slice(lines.length);
  const nextBand = ({ interval }: PanelLine): PlotLine['band'] => {
    const [low, high] = interval === undefined ? [] : bounds.splice(0, 2);
    return low !== undefined && high !== undefined ? [low, high] : undefined;
  };
  const plotted = lines.map((one, index): PlotLine => {
    const { label, isSparse = false } = one;
    return { label, values: own[index] ?? [], isSparse, band: nextBand(one), ...styleOf(index) };
  });
  return { lines, steps, spans: steps.map((step) => ({ from: step, to: step })), own, plotted };
}

/** Whether a run reports anything that a panel shows. */
export const hasLines = (panel: PanelDefinition, { series }: RunMetrics): boolean =>
  linesOf({ ...panel, isStacked: false }, Object.keys(series), () => false).length > 0;
