/** @file The bar of all steps, and what can be done with the chosen ones. */
import type { RunDetails } from '@espalier/client';
import { useMemo } from 'react';
import type { RunMetrics } from '../charts/series.js';
import { useReadAhead } from '../data/read-ahead.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch, wholeNumber } from '../routing/router.js';
import { keptSearch, type Range, readRange } from '../routing/run-filter.js';
import { FilterChips, shadeOf, useFilterCounts } from '../trajectories/filter-chips.js';
import { listQuery } from '../trajectories/use-trajectories.js';
import { Beyond } from './beyond.js';
import { type Happening, type MarkKind, markStyles } from './marks.js';
import { RangeFields } from './range-fields.js';
import { StepBar } from './step-bar.js';
import { chosenSteps } from './step-keys.js';
import { useStepWalk, WalkedRow } from './step-walk.js';

interface Props {
  readonly run: RunDetails;
  readonly metrics: RunMetrics;
  readonly happenings: readonly Happening[];
  readonly step: number | undefined;
  readonly range: Range | undefined;
  pick(step: number | undefined): void;
  choose(range: Range | undefined): void;
}

export function StepsCard({ run, metrics, happenings, step, range, pick, choose }: Props) {
  const [search, setSearch] = useSearch();
  const counts = useFilterCounts(run.id);
  const shade = useMemo(() => shadeOf(counts.data), [counts.data]);
  const chosen = chosenSteps(range, step);
  const walk = useStepWalk(run.id, chosen, metrics.lastStep, pick);
  const readAhead = useReadAhead<string>((address, queries, client) => {
    void queries.prefetchInfiniteQuery(listQuery(client, run.id, new URLSearchParams(address)));
  });
  const steps = chosen && { from: String(chosen.from), to: String(chosen.to) };
  const kept = keptSearch(search, steps);
  const list = `${toPath('runs', run.id, 'trajectories')}${kept}`;
  return (
    <section className="card steps">
      <StepBar
        steps={Math.max(run.steps, metrics.lastStep)}
        metrics={metrics}
        happenings={happenings}
        range={chosen}
        at={step}
        shade={shade}
        walk={walk}
        onPick={pick}
        onChoose={choose}
      />
      <WalkedRow walk={walk} />
      <div className="row small muted">
        <RangeFields
          from={chosen?.from}
          to={chosen?.to}
          lastStep={metrics.lastStep}
          onChange={(typed) => setSearch({ step: undefined, ...typed })}
        />
        {chosen === undefined ? (
          <span>
            Click a step here or in a chart, drag over a chart, or use ← and →, with shift for several.
          </span>
        ) : (
          <>
            <b>
              {chosen.from === chosen.to ? `Step ${chosen.from}` : `Steps ${chosen.from} to ${chosen.to}`}
            </b>
            <Link href={`${toPath('runs', run.id, 'steps')}${keptSearch(search, steps)}`}>
              {range === undefined ? 'its story' : 'their story'}
            </Link>
            {step !== undefined && (
              <button className="plain" onClick={() => setSearch({ chat: String(step) })}>
                chat with its model
              </button>
            )}
            <Link href={list} {...readAhead(kept)}>
              {range === undefined ? 'its trajectories' : 'their trajectories'}
            </Link>
            {walk.place === undefined && (
              <button className="plain" onClick={() => walk.move(1)}>
                one by one
              </button>
            )}
            <Link href={`${list}&view=tokens`} {...readAhead(kept)}>
              {range === undefined ? 'its tokens' : 'their tokens'}
            </Link>
            <button
              className="plain"
              onClick={() => setSearch({ step: undefined, from: undefined, to: undefined })}
            >
              {range === undefined ? 'newest' : 'all steps'}
            </button>
          </>
        )}
      </div>
      {chosen !== undefined && (
        <Beyond named={namedSteps(search)} range={chosen} lastStep={metrics.lastStep} />
      )}
      <FilterChips runId={run.id} counts={counts} />
      <Key runId={run.id} happenings={happenings} />
    </section>
  );
}

/** As the address has them, done or not. */
function namedSteps(search: URLSearchParams): Range | undefined {
  const step = wholeNumber(search.get('step'));
  return step === undefined ? readRange(search) : { from: step, to: step };
}

/** Forks that are named; the family has all. */
const shownForks = 3;

/** What the marks below steps are, and lines of their colours in charts; forks and what was forked can be opened. */
function Key({ runId, happenings }: { readonly runId: string; readonly happenings: readonly Happening[] }) {
  const [, setSearch] = useSearch();
  const kinds = new Map<MarkKind, number>();
  for (const { kind, count } of happenings) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  if (kinds.size === 0) return null;
  const forks = happenings.flatMap(({ fork }) => (fork === undefined ? [] : [fork]));
  return (
    <ul className="marks-key small muted" aria-label="What happened">
      {[...kinds].map(([kind, count]) => (
        <li key={kind}>
          <i className={kind} />
          {eventKindOf[kind] === undefined ? (
            <>
              {forks.length === 1 ? 'fork' : 'forks'}:
              {forks.slice(0, shownForks).map(({ id, title, step }) => (
                <span key={id}>
                  <Link href={toPath('runs', id)}>
                    <Text of={title} />
                  </Link>{' '}
                  at step {step}
                </span>
              ))}
              {forks.length > shownForks && (
                <Link href={toPath('runs', runId, 'family')}>and {forks.length - shownForks} more</Link>
              )}
            </>
          ) : (
            <button className="plain" onClick={() => setSearch({ events: eventKindOf[kind] })}>
              {markStyles[kind].words} × {count}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The kind of events that a click lists below. */
const eventKindOf: Readonly<Record<MarkKind, string | undefined>> = {
  attempt: 'run-started',
  checkpoint: 'checkpoint',
  warning: 'warning',
  health: 'monitor',
  fork: undefined,
};
