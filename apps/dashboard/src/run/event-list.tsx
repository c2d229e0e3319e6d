import { lazy, Suspense, useState } from 'react';
import { type EventKind, eventKinds, type RunEvents } from '../data/use-run-events.js';
import { ErrorNote, Waiting } from '../parts/states.js';
import { useSearch } from '../routing/router.js';
import { EventRow } from './event-row.js';

const EventScroll = lazy(() => import('./event-scroll.js'));

/** Newest ones that are shown at first. */
const folded = 12;

interface Props {
  readonly runId: string;
  readonly happened: RunEvents;
  /** only those are listed */
  readonly kind: EventKind | undefined;
}

/** What happened, newest first: the newest few, or all, of which older ones are read as they are scrolled to. */
export function EventList({ runId, happened, kind }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [, setSearch] = useSearch();
  const { events, counts = [], error, hasOlder, retry } = happened;
  const totals = new Map<string, number>();
  for (const { kind: of, count } of counts) totals.set(of, (totals.get(of) ?? 0) + count);
  const total = [...totals].reduce(
    (sum, [of, count]) => sum + (kind === undefined || of === kind ? count : 0),
    0,
  );
  if (events.length === 0 && kind === undefined)
    return error === null ? null : <ErrorNote error={error} retry={retry} />;
  const isLong = hasOlder || events.length > folded;
  return (
    <section className="card">
      <header>
        <h2>What happened</h2>
        <span className="faint small">newest first</span>
        {totals.size > 1 && (
          <select
            aria-label="Kind of events"
            value={kind ?? ''}
            onChange={({ target }) => setSearch({ events: target.value === '' ? undefined : target.value })}
          >
            <option value="">all kinds</option>
            {eventKinds
              .filter((one) => totals.has(one) || one === kind)
              .map((one) => (
                <option key={one} value={one}>
                  {kindNames[one]} ({totals.get(one) ?? 0})
                </option>
              ))}
          </select>
        )}
      </header>
      {isOpen ? (
        <Suspense fallback={<Waiting what="the list" />}>
          <EventScroll runId={runId} happened={happened} />
        </Suspense>
      ) : (
        <ol className="events">
          {events.slice(0, folded).map((event) => (
            <li key={event.cursor}>
              <EventRow event={event} runId={runId} />
            </li>
          ))}
        </ol>
      )}
      {error !== null && <ErrorNote error={error} retry={retry} />}
      {(isLong || isOpen) && (
        <div className="row small" style={{ padding: '6px 12px' }}>
          <button className="plain" onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Only the newest' : total > 0 ? `All ${total}` : 'All'}
          </button>
        </div>
      )}
    </section>
  );
}

const kindNames: Readonly<Record<EventKind, string>> = {
  state: 'states',
  'run-started': 'attempts',
  'run-ended': 'ends of training',
  'process-ended': 'ends of processes',
  checkpoint: 'checkpoints',
  level: 'levels',
  warning: 'warnings',
  monitor: 'health',
};
