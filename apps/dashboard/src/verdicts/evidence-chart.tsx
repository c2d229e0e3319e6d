import { useMemo, useState } from 'react';
import { formatValue } from '../format/numbers.js';
import { type Mark, Plot, type PlotLine } from '../charts/plot.js';
import type { RunMetrics } from '../charts/series.js';
import type { Alarm } from '../data/types.js';

type Finding = Alarm['findings'][number];

/** steps to each side of an alarm */
const around = 40;

interface Props {
  readonly finding: Finding;
  readonly metrics: RunMetrics;
  readonly step: number;
}

/** The metric of a rule around an alarm, with the limit that it passed, or with its start where the limit is of something else. */
export function EvidenceChart({ finding, metrics, step }: Props) {
  const [row, setRow] = useState<number | null>(null);
  const name = finding.metrics.find((metric) => metrics.series[metric] !== undefined);
  const series = name === undefined ? undefined : metrics.series[name];
  const bound = finding.metricLimit ?? finding.baseline;
  const boundName = finding.metricLimit === null ? 'start' : 'limit';
  const { steps, lines } = useMemo(() => {
    const near = series?.steps.flatMap((at, i) => (Math.abs(at - step) <= around ? [i] : [])) ?? [];
    const drawn: PlotLine[] = [
      { label: finding.input, values: near.map((i) => series?.values[i] ?? null), color: '--data-1' },
      { label: boundName, values: near.map(() => bound), color: '--data-2', dash: [6, 4] },
    ];
    return { steps: near.map((i) => series?.steps[i] ?? 0), lines: drawn };
  }, [series, finding, bound, boundName, step]);
  const marks: Mark[] = [
    { step, color: '--bad', dash: [] },
    { step: finding.since, color: '--warn', dash: [2, 3] },
  ];
  if (name === undefined)
    return (
      <p className="muted small">
        The run reports no metric of <span className="mono">{finding.input}</span>; the rule kept its newest
        values:{' '}
        <span className="mono">{finding.history.map((value) => formatValue(value, null)).join(', ')}</span>
      </p>
    );
  const shown = row ?? Math.max(0, steps.indexOf(step));
  return (
    <>
      <Plot
        title={`${name} with the ${boundName} of ${finding.rule}`}
        steps={steps}
        lines={lines}
        unit={null}
        marks={marks}
        step={step}
        sync="evidence"
        height={160}
        onHover={setRow}
      />
      <ul className="legend">
        <li>
          <i style={{ background: 'var(--data-1)' }} />
          <span className="cut mono">{name}</span>
          <b>{formatValue(lines[0]?.values[shown], null)}</b>
        </li>
        <li>
          <i style={{ background: 'var(--data-2)' }} className="dashed" />
          <span className="cut">{boundName === 'start' ? 'its start' : `fires ${finding.side}`}</span>
          <b>{formatValue(bound, null)}</b>
        </li>
        {boundName === 'start' && (
          <li>
            <span className="cut">the rule measures</span>
            <b>
              {formatValue(finding.measure, null)}, fires {finding.side} {formatValue(finding.limit, null)}
            </b>
          </li>
        )}
        <li className="faint">step {steps[shown]}</li>
      </ul>
    </>
  );
}
