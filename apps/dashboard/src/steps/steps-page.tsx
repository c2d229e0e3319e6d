/** @file The story of one step, or some: what was sampled, what became of it, which groups made the update, what moved. */
import type { RunDetails, TrajectoryRow } from '@espalier/client';
import { useMemo } from 'react';
import { About, type MetricFacts } from '../charts/about.js';
import { Comments } from '../comments/comments.js';
import type { EventCount } from '../data/types.js';
import { useRunEvents } from '../data/use-run-events.js';
import { useRunMetrics } from '../data/use-run-metrics.js';
import { formatValue } from '../format/numbers.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { type Range, readRange } from '../routing/run-filter.js';
import { happeningsOf } from '../run/marks.js';
import { Beyond } from '../run/beyond.js';
import { RangeFields } from '../run/range-fields.js';
import { StepBar } from '../run/step-bar.js';
import { useStepWalk, WalkedRow } from '../run/step-walk.js';
import { FilterChips, shadeOf, useFilterCounts } from '../trajectories/filter-chips.js';
import { countFlow, differences, readFlow } from './flow.js';
import { FlowTable } from './flow-table.js';
import { GroupList } from './group-list.js';
import { MovedList } from './moved-list.js';
import { RewardHistogram } from './reward-histogram.js';
import {
  longestRange,
  mostRows,
  type StepNumbers,
  type StepRows,
  updateNumbers,
  useFittingRows,
  useSteps,
} from './use-steps.js';
import '../styles/steps.css';

const noCounts: readonly EventCount[] = [];

export default function StepsPage({ run }: { readonly run: RunDetails }) {
  const { names, metrics } = useRunMetrics(run.id);
  const { counts = noCounts } = useRunEvents(run.id);
  const [search, setSearch] = useSearch();
  const facts = useMemo(() => new Map(names.data?.map((one) => [one.name, one])), [names.data]);
  const happenings = useMemo(() => happeningsOf(counts, []), [counts]);
  const lastStep = metrics.data?.lastStep ?? -1;
  const range = rangeOf(search, lastStep);
  const fitting = useFilterCounts(run.id);
  const shade = useMemo(() => shadeOf(fitting.data), [fitting.data]);
  const { numbers, rows, before } = useSteps(run.id, range);
  const choose = ({ from, to }: Range): void => setSearch({ from: String(from), to: String(to) });
  const pick = (step: number): void => choose({ from: step, to: step });
  const walk = useStepWalk(run.id, range, lastStep, pick);
  const narrowed = useFittingRows(run.id, range);
  const error = metrics.error ?? names.error;
  if (error !== null) return <ErrorNote error={error} retry={() => void metrics.refetch()} />;
  if (metrics.data === undefined) return <Waiting what="the steps" />;
  if (lastStep < 1 || range === undefined)
    return (
      <Notice title="No step is done yet">
        <p>The first one appears here when its update is done.</p>
      </Notice>
    );
  return (
    <>
      <section className="card steps">
        <StepBar
          steps={Math.max(run.steps, lastStep)}
          metrics={metrics.data}
          happenings={happenings}
          range={range}
          shade={shade}
          walk={walk}
          onPick={pick}
          onChoose={choose}
        />
        <WalkedRow walk={walk} />
        <Chosen range={range} lastStep={lastStep} pick={pick} setRange={(next) => setSearch(next)} />
        <Beyond named={readRange(search)} range={range} lastStep={lastStep} />
        <FilterChips runId={run.id} counts={fitting} />
        {fitting.data !== undefined && (
          <p className="small muted">
            The filter shades the steps above and narrows the groups below. Flow and update are of all
            trajectories of the chosen steps.
          </p>
        )}
      </section>
      <Told
        runId={run.id}
        range={range}
        facts={facts}
        numbers={numbers.data}
        rows={rows.data}
        error={numbers.error ?? rows.error}
        retry={() => void Promise.all([numbers.refetch(), rows.refetch()])}
      />
      {rows.data !== undefined && rows.data.rows.length > 0 && (
        <div className="step-sides">
          <div className="stack">
            <RewardHistogram
              rows={rows.data.drawn}
              fitting={narrowed.rows}
              subject="Training trajectories of the chosen steps"
            />
            <Groups runId={run.id} all={rows.data.rows} narrowed={narrowed} />
          </div>
          {before.error === null ? (
            <MovedList runId={run.id} now={rows.data.drawn} before={before.data?.drawn} from={range.from} />
          ) : (
            <ErrorNote error={before.error} retry={() => void before.refetch()} />
          )}
        </div>
      )}
      {range.from === range.to && (
        <Comments runId={run.id} place={{ step: range.from }} title={`Comments on step ${range.from}`} />
      )}
    </>
  );
}

interface GroupsProps {
  readonly runId: string;
  readonly all: readonly TrajectoryRow[];
  readonly narrowed: ReturnType<typeof useFittingRows>;
}

/** The groups that have a trajectory that fits the filter. */
function Groups({ runId, all, narrowed: { isFiltered, rows, error, retry } }: GroupsProps) {
  const fitting = useMemo(() => rows && new Set(rows.map(({ id }) => id)), [rows]);
  if (!isFiltered) return <GroupList runId={runId} rows={all} />;
  if (error !== null) return <ErrorNote error={error} retry={retry} />;
  if (fitting === undefined) return <Waiting what="what fits the filter" />;
  if (fitting.size > 0) return <GroupList runId={runId} rows={all} fitting={fitting} />;
  return (
    <Notice title="No training trajectory of these steps fits">
      <p>Take a part of the filter off, above the numbers.</p>
    </Notice>
  );
}

interface ChosenProps {
  readonly range: Range;
  readonly lastStep: number;
  pick(step: number): void;
  setRange(range: { readonly from: string; readonly to: string }): void;
}

/** Which steps are told of, as numbers that can be typed. */
function Chosen({ range, lastStep, pick, setRange }: ChosenProps) {
  const { from, to } = range;
  return (
    <div className="row small muted">
      <RangeFields from={from} to={to} lastStep={lastStep} onChange={setRange} />
      <button disabled={from <= 1} onClick={() => pick(from - 1)}>
        Step before
      </button>
      <button disabled={to >= lastStep} onClick={() => pick(to + 1)}>
        Step after
      </button>
      <span>Shift-click a cell for several steps.</span>
    </div>
  );
}

interface ToldProps {
  readonly runId: string;
  readonly range: Range;
  readonly facts: ReadonlyMap<string, MetricFacts>;
  readonly numbers: StepNumbers | undefined;
  readonly rows: StepRows | undefined;
  readonly error: Error | null;
  retry(): void;
}

/** The flow of tokens and the numbers of the update. */
function Told({ runId, range, facts, numbers, rows, error, retry }: ToldProps) {
  if (error !== null) return <ErrorNote error={error} retry={retry} />;
  if (numbers === undefined) return <Waiting what="the counts" />;
  const flow = readFlow(numbers.sums);
  const length = range.to - range.from + 1;
  const trained = numbers.sums.get('trajectories/trained') ?? 0;
  return (
    <div className="step-sides">
      <section className="card">
        <header>
          <h2>Where the tokens went</h2>
          {flow !== undefined && (
            <About
              title="where the tokens went"
              metrics={[...facts.keys()].filter((name) => name.startsWith('flow/'))}
              facts={facts}
            />
          )}
          {flow !== undefined && numbers.counted < length && (
            <span className="small muted">
              counted at {numbers.counted} of {length} steps
            </span>
          )}
        </header>
        {flow === undefined ? (
          <p className="note muted">
            {length === 1 ? 'This step has no counts' : 'These steps have no counts'}: nothing was stored, or
            by a version that did not count. <Link href={listOf(runId, range)}>Its trajectories</Link>, if
            any, are listed as before.
          </p>
        ) : (
          <>
            <FlowTable
              runId={runId}
              range={range}
              flow={flow}
              isClippingUnknown={trained > 0 && isClippingUnknown(rows)}
            />
            <Check numbers={numbers} rows={rows} />
          </>
        )}
      </section>
      <section className="card update-numbers">
        <header>
          <h2>The update</h2>
          {length > 1 && <span className="small muted">mean, with lowest and highest</span>}
        </header>
        <dl>
          {updateNumbers.map(([metric, label]) => (
            <div key={metric} data-number={metric}>
              <dt>
                {label} <About title={label} metrics={[metric]} facts={facts} />
              </dt>
              <dd>{tellNumber(numbers, metric, facts, trained > 0)}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}

const listOf = (runId: string, { from, to }: Range): string =>
  `${toPath('runs', runId, 'trajectories')}?from=${from}&to=${to}&split=train`;

const isClippingUnknown = (rows: StepRows | undefined): boolean =>
  rows?.rows.some(({ outcome }) => outcome === 'trained') === true &&
  rows.rows.every(({ clippedTokens }) => clippedTokens === null);

/** Whether the counts of the trainer are those of what is stored. */
function Check({ numbers, rows }: { readonly numbers: StepNumbers; readonly rows: StepRows | undefined }) {
  if (rows === undefined) return <p className="note small muted">Comparing with the stored trajectories …</p>;
  if (!rows.isComplete)
    return (
      <p className="note small muted">
        More than {mostRows} trajectories: the counts are the trainer’s, and the groups below are of the first{' '}
        {rows.rows.length}.
      </p>
    );
  const found = differences(numbers.sums, countFlow(rows.rows));
  if (found.length === 0)
    return (
      <p className="note small muted" data-check="agrees">
        All counts agree with the {rows.rows.length} stored trajectories.
      </p>
    );
  return (
    <div className="note small warn-text" data-check="differs">
      <p>The trainer’s counts and the stored trajectories differ; trajectories may still be on their way:</p>
      <ul>
        {found.slice(0, 6).map(({ name, told, stored }) => (
          <li key={name}>
            <span className="mono">flow/{name}</span>: {told} counted, {stored} stored
          </li>
        ))}
      </ul>
    </div>
  );
}

function tellNumber(
  { numbers }: StepNumbers,
  metric: string,
  facts: ReadonlyMap<string, MetricFacts>,
  isTrained: boolean,
) {
  const number = numbers.get(metric);
  const unit = facts.get(metric)?.unit;
  if (number === undefined) {
    const reason = !facts.has(metric)
      ? 'not reported by this run'
      : isTrained
        ? 'not reported'
        : 'not trained';
    return <span className="faint">{reason}</span>;
  }
  if (number.kind === 'not-finite') return <b className="down">not finite</b>;
  const { mean, low, high } = number;
  return (
    <>
      {formatValue(mean, unit)}
      {unit !== undefined && unit !== null && unit !== '1' && unit !== 'probability' && (
        <span className="faint small"> {unit}</span>
      )}
      {low !== high && (
        <span className="small muted">
          {' '}
          [{formatValue(low, unit)}, {formatValue(high, unit)}]
        </span>
      )}
    </>
  );
}

/** Steps as the address names them, within what is done; the newest step without a name. */
export function rangeOf(search: URLSearchParams, lastStep: number): Range | undefined {
  if (lastStep < 1) return undefined;
  const within = (step: number): number => Math.max(1, Math.min(lastStep, step));
  const named = readRange(search) ?? { from: lastStep, to: lastStep };
  const from = within(named.from);
  return { from, to: Math.min(within(named.to), from + longestRange - 1) };
}
