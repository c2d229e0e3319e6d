/** @file A run at a glance: how it went, step by step, in numbers, in charts, and what happened. */
import type { RunDetails } from '@espalier/client';
import { type ComponentProps, useMemo } from 'react';
import { hasLines, Panel } from '../charts/panel.js';
import { panels } from '../charts/panels.js';
import type { RunMetrics } from '../charts/series.js';
import { RunCost } from '../cost/run-cost.js';
import type { RunRecord } from '../data/types.js';
import { useNow } from '../data/use-now.js';
import { eventKinds, useRunEvents } from '../data/use-run-events.js';
import { useFinerMetrics, useRunMetrics } from '../data/use-run-metrics.js';
import { useLoadedAhead } from '../parts/lazy-view.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useSearch, wholeNumber } from '../routing/router.js';
import { type Range, readRange } from '../routing/run-filter.js';
import { Alerts } from './alerts.js';
import { EventList } from './event-list.js';
import { Health } from './health.js';
import { happeningsOf, linesOf } from './marks.js';
import { MoreMetrics } from './more-metrics.js';
import { NowDoing } from './now-doing.js';
import { PhaseLanes } from './phase-lanes.js';
import { StepsCard } from './steps-card.js';
import { tellRun } from './story.js';
import { Tiles } from './tiles.js';
import { useDeviceUse } from './use-device-use.js';
import { useForks } from './use-forks.js';
import { ofSteps } from './views.js';

export function Overview({ run }: { readonly run: RunDetails }) {
  const { names, metrics } = useRunMetrics(run.id);
  const [search, setSearch] = useSearch();
  const kind = eventKinds.find((one) => one === search.get('events'));
  const happened = useRunEvents(run.id, kind);
  const { forks, cut } = useForks(run.id);
  const happenings = useMemo(() => happeningsOf(happened.counts ?? [], forks), [happened.counts, forks]);
  const marks = useMemo(() => linesOf(happenings), [happenings]);
  const { step, range } = useChosen(search, metrics.data?.lastStep ?? 0);
  const pick = (chosen: number | undefined): void =>
    setSearch({
      step: chosen?.toString(),
      // steps that are chosen stay, and a step among them; another takes the place of one
      ...(range === undefined ? { from: undefined, to: undefined } : {}),
    });
  const choose = (chosen: Range | undefined): void =>
    setSearch({ step: undefined, from: chosen?.from.toString(), to: chosen?.to.toString() });
  const finer = useFinerMetrics(run.id, metrics.data, range);
  const devices = useDeviceUse(run, finer?.series['time/step_seconds']);
  const data = useWithDevices(finer, devices.series);
  const facts = useMemo(
    () => new Map([...(names.data ?? []), ...devices.facts].map((one) => [one.name, one])),
    [names.data, devices.facts],
  );
  const reported = useMemo(() => (names.data ?? []).map(({ name }) => name), [names.data]);
  useLoadedAhead(ofSteps, data !== undefined);
  const error = names.error ?? metrics.error;
  return (
    <>
      <Story run={run} metrics={data} events={happened.events} />
      {error !== null && <ErrorNote error={error} retry={() => void metrics.refetch()} />}
      {data === undefined && error === null && <Waiting what="the metrics" />}
      {data !== undefined && data.lastStep < 0 && (
        <Notice title="No step is done yet">
          <p>{waitReason(run)}</p>
        </Notice>
      )}
      {metrics.data !== undefined && data !== undefined && data.lastStep >= 0 && (
        <>
          <StepsCard
            run={run}
            // all steps, where the others have the chosen ones more finely
            metrics={metrics.data}
            happenings={happenings}
            step={step}
            range={range}
            pick={pick}
            choose={choose}
          />
          {cut !== undefined && <p className="small muted">{cut}</p>}
          <Tiles runId={run.id} metrics={data} facts={facts} step={step} range={range} />
          <Panels
            metrics={data}
            facts={facts}
            marks={marks}
            step={step}
            range={range}
            onPick={pick}
            onBrush={choose}
          />
          <MoreMetrics runId={run.id} names={reported} />
          <PhaseLanes
            run={run}
            metrics={data}
            facts={facts}
            range={range}
            step={step}
            onPick={pick}
            onChoose={choose}
          />
          <RunCost run={run} />
          <Absent metrics={data} />
        </>
      )}
      <EventList runId={run.id} happened={happened} kind={kind} />
    </>
  );
}

/** How it went, in words. */
function Story({
  run,
  metrics,
  events,
}: {
  readonly run: RunDetails;
  readonly metrics: RunMetrics | undefined;
  readonly events: readonly RunRecord[];
}) {
  const now = useNow(run.state === 'running' ? 1000 : 60_000);
  return (
    <div className="story">
      <p>{tellRun(run, metrics, now)}</p>
      {run.message !== '' && (
        <p className="muted">
          <Text of={run.message} />
        </p>
      )}
      <Health run={run} events={events} />
      <Alerts runId={run.id} />
      <NowDoing run={run} />
    </div>
  );
}

function Panels(props: Omit<ComponentProps<typeof Panel>, 'panel'>) {
  return (
    <div className="panels">
      {panels
        .filter((panel) => hasLines(panel, props.metrics))
        .map((panel) => (
          <Panel key={panel.id} panel={panel} {...props} />
        ))}
    </div>
  );
}

function Absent({ metrics }: { readonly metrics: RunMetrics }) {
  const absent = panels.filter((panel) => !hasLines(panel, metrics));
  if (absent.length === 0) return null;
  const titles = absent.map(({ title }) => title.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase()));
  return <p className="small faint">Not reported by this run: {titles.join(', ')}.</p>;
}

interface Chosen {
  readonly step: number | undefined;
  /** more than one step; the same object as long as it is the same */
  readonly range: Range | undefined;
}

/** The step and the steps that the address names, as far as they are done; a range of one step is that step. */
function useChosen(search: URLSearchParams, lastStep: number): Chosen {
  const named = readRange(search);
  const from = Math.min(named?.from ?? 0, lastStep);
  const to = Math.min(named?.to ?? 0, lastStep);
  const range = useMemo(() => (from < to ? { from, to } : undefined), [from, to]);
  const step = wholeNumber(search.get('step')) ?? (named !== undefined && from === to ? from : undefined);
  return { step: step && Math.min(step, lastStep), range };
}

function useWithDevices(
  metrics: RunMetrics | undefined,
  devices: RunMetrics['series'],
): RunMetrics | undefined {
  return useMemo(
    () => metrics && { ...metrics, series: { ...metrics.series, ...devices } },
    [metrics, devices],
  );
}

function waitReason({ jobs, state }: RunDetails): string {
  const reason = jobs.find(({ whyWaiting }) => whyWaiting !== null)?.whyWaiting;
  if (reason !== null && reason !== undefined) return reason;
  return state === 'running'
    ? 'Its process has started; the first numbers come when the starting model is validated.'
    : 'It has reported nothing.';
}
