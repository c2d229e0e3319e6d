/** @file A run at a glance: how it went, step by step, in numbers, in charts, and what happened. */
import type { RunDetails } from '@espalier/client';
import { useMemo } from 'react';
import { hasLines, Panel } from '../charts/panel.js';
import { panels } from '../charts/panels.js';
import type { Mark } from '../charts/plot.js';
import type { RunMetrics } from '../charts/series.js';
import type { EventCount } from '../data/types.js';
import { useNow } from '../data/use-now.js';
import { eventKinds, useRunEvents } from '../data/use-run-events.js';
import { useRunMetrics } from '../data/use-run-metrics.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { Alerts } from './alerts.js';
import { EventList } from './event-list.js';
import { Health } from './health.js';
import { NowDoing } from './now-doing.js';
import { StepBar } from './step-bar.js';
import { tellRun } from './story.js';
import { Tiles } from './tiles.js';

export function Overview({ run }: { readonly run: RunDetails }) {
  const { names, metrics } = useRunMetrics(run.id);
  const now = useNow(run.state === 'running' ? 1000 : 60_000);
  const [search, setSearch] = useSearch();
  const kind = eventKinds.find((one) => one === search.get('events'));
  const happened = useRunEvents(run.id, kind);
  const step = numberOf(search.get('step'));
  const facts = useMemo(() => new Map(names.data?.map((one) => [one.name, one])), [names.data]);
  const marks = useMemo(() => marksOf(happened.counts ?? []), [happened.counts]);
  const pick = (chosen: number | undefined): void => setSearch({ step: chosen?.toString() });
  const data = metrics.data;
  const shown = panels.filter((panel) => data !== undefined && hasLines(panel, data));
  const absent = panels.filter((panel) => !shown.includes(panel));
  const error = names.error ?? metrics.error;
  return (
    <>
      <div className="story">
        <p>{tellRun(run, data, now)}</p>
        {run.message !== '' && (
          <p className="muted">
            <Text of={run.message} />
          </p>
        )}
        <Health run={run} events={happened.events} />
        <Alerts runId={run.id} warnings={run.warnings} />
        <NowDoing run={run} />
      </div>
      {error !== null && <ErrorNote error={error} retry={() => void metrics.refetch()} />}
      {data === undefined && error === null && <Waiting what="the metrics" />}
      {data !== undefined && data.lastStep < 0 && (
        <Notice title="No step is done yet">
          <p>{waitReason(run)}</p>
        </Notice>
      )}
      {data !== undefined && data.lastStep >= 0 && (
        <>
          <Steps run={run} metrics={data} marks={happened.counts ?? []} step={step} pick={pick} />
          <Tiles metrics={data} facts={facts} step={step} />
          <div className="panels">
            {shown.map((panel) => (
              <Panel
                key={panel.id}
                panel={panel}
                metrics={data}
                facts={facts}
                marks={marks}
                step={step}
                onPick={pick}
              />
            ))}
          </div>
          {absent.length > 0 && (
            <p className="small faint">
              Not reported by this run:{' '}
              {absent
                .map(({ title }) => title.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase()))
                .join(', ')}
              .
            </p>
          )}
        </>
      )}
      <EventList runId={run.id} happened={happened} kind={kind} />
    </>
  );
}

interface StepsProps {
  readonly run: RunDetails;
  readonly metrics: RunMetrics;
  readonly marks: readonly EventCount[];
  readonly step: number | undefined;
  pick(step: number | undefined): void;
}

/** The bar of all steps, and what can be done with the chosen one. */
function Steps({ run, metrics, marks, step, pick }: StepsProps) {
  const [, setSearch] = useSearch();
  return (
    <section className="card steps">
      <StepBar
        steps={Math.max(run.steps, metrics.lastStep)}
        metrics={metrics}
        marks={marks}
        step={step}
        onPick={pick}
      />
      <div className="row small muted">
        {step === undefined ? (
          <span>Choose a step here or in a chart; ← and → go on from it.</span>
        ) : (
          <>
            <b>Step {step}</b>
            <Link href={`${toPath('runs', run.id, 'steps')}?from=${step}&to=${step}`}>its story</Link>
            <button className="plain" onClick={() => setSearch({ chat: String(step) })}>
              chat with its model
            </button>
            <Link href={`${toPath('runs', run.id, 'trajectories')}?from=${step}&to=${step}`}>
              its trajectories
            </Link>
            <button className="plain" onClick={() => pick(undefined)}>
              newest
            </button>
          </>
        )}
      </div>
    </section>
  );
}

const numberOf = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

function waitReason({ jobs, state }: RunDetails): string {
  const reason = jobs.find(({ whyWaiting }) => whyWaiting !== null)?.whyWaiting;
  if (reason !== null && reason !== undefined) return reason;
  return state === 'running'
    ? 'Its process has started; the first numbers come when the starting model is validated.'
    : 'It has reported nothing.';
}

const styles: Readonly<Record<string, Omit<Mark, 'step'>>> = {
  checkpoint: { color: '--line-strong', dash: [1, 3] },
  warning: { color: '--warn', dash: [4, 3] },
  monitor: { color: '--warn', dash: [4, 3] },
  'run-started': { color: '--info', dash: [6, 3] },
};
/** Lines over the charts: checkpoints dotted, warnings and changes of health, attempts; one for each range of steps. */
function marksOf(counts: readonly EventCount[]): Mark[] {
  return counts.flatMap(({ kind, firstStep: step }) => {
    const style = styles[kind];
    if (step === null || style === undefined || (kind === 'run-started' && step === 0)) return [];
    return [{ step, ...style }];
  });
}
