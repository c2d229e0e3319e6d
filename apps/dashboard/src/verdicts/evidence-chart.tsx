/** @file The evidence of a rule: its metric around an alarm, read for it alone, as most views show few of the metrics. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { formatValue } from '../format/numbers.js';
import { type Mark, Plot, type PlotLine } from '../charts/plot.js';
import { readLines } from '../data/read-lines.js';
import type { Alarm } from '../data/types.js';
import { ErrorNote, Waiting } from '../parts/states.js';
import { useSession } from '../session/session-context.js';

type Finding = Alarm['findings'][number];

/** steps to each side of an alarm */
const around = 40;

interface Props {
  readonly runId: string;
  readonly finding: Finding;
  readonly step: number;
  /** newest step of the run: what is drawn is read again as long as it grows */
  readonly lastStep: number;
}

/** The metric of a rule around an alarm, with the limit that it passed, or with its start where the limit is of something else. */
export function EvidenceChart({ runId, finding, step, lastStep }: Props) {
  const { client } = useSession();
  const [row, setRow] = useState<number | null>(null);
  const fromStep = Math.max(0, step - around);
  const toStep = Math.max(step, Math.min(step + around, lastStep));
  const history = useQuery({
    queryKey: ['evidence', runId, finding.metrics, fromStep, toStep],
    queryFn: () => readLines(client, [runId], finding.metrics, { fromStep, toStep }),
    enabled: finding.metrics.length > 0,
    placeholderData: (old) => old,
  });
  const series = history.data?.find((one) => one !== null);
  const name = series?.name;
  const bound = finding.metricLimit ?? finding.baseline;
  const boundName = finding.metricLimit === null ? 'start' : 'limit';
  const { steps, lines } = useMemo(() => {
    const drawn: PlotLine[] = [
      { label: finding.input, values: [...(series?.values ?? [])], color: '--data-1' },
      { label: boundName, values: (series?.steps ?? []).map(() => bound), color: '--data-2', dash: [6, 4] },
    ];
    return { steps: (series?.steps ?? []).map(Number), lines: drawn };
  }, [series, finding, bound, boundName]);
  const marks: Mark[] = [
    { step, color: '--bad', dash: [] },
    { step: finding.since, color: '--warn', dash: [2, 3] },
  ];
  if (history.error !== null) return <ErrorNote error={history.error} retry={() => void history.refetch()} />;
  if (history.data === undefined && finding.metrics.length > 0) return <Waiting what="its metric" />;
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
