/** @file The alerts of all runs, newest first: who looks after each, and acknowledged one by one or together. */
import { Term } from '../charts/term.js';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAcknowledge, useOpenAlerts } from '../data/alert-changes.js';
import type { Alert } from '../data/types.js';
import { useNow } from '../data/use-now.js';
import { usePages } from '../data/use-pages.js';
import { formatAge, formatMoment } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { Badge } from '../parts/badge.js';
import { More } from '../parts/more.js';
import { ErrorNote, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { useMayAct, useSession } from '../session/session-context.js';
import { readAlertFilter } from './alert-filter.js';
import { AlertFilters } from './alert-filters.js';
import { Assignee } from './assignee.js';
import '../styles/alerts.css';

/** as many as the server acknowledges at once */
const mostAtOnce = 200;

const roomOf = ({ runId, id }: Alert): string => `${toPath('runs', runId, 'verdicts')}?alarm=${id}`;

export default function AlertsPage() {
  const { client } = useSession();
  const [search, setSearch] = useSearch();
  const now = useNow();
  const mayAct = useMayAct();
  const open = useOpenAlerts();
  const filter = readAlertFilter(search);
  const alerts = usePages({
    queryKey: ['alerts', 'list', filter],
    read: (page) => client.overview.alerts(filter, page),
    count: () => client.totals.alerts(filter),
  });
  const items = alerts.items ?? [];
  const nameOf = useRunNames(items);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // what left the list is chosen no longer
  const openOnes = items.filter(({ acknowledgedAt }) => acknowledgedAt === null);
  const marked = openOnes.filter(({ id }) => chosen.has(id)).map(({ id }) => id);
  const { mutate: acknowledge, error: failure, isPending } = useAcknowledge(() => setChosen(new Set()));
  useEffect(() => {
    document.title = 'Alerts · Espalier';
  }, []);
  const toggle = (ids: readonly string[], isOn: boolean): void =>
    setChosen((old) => new Set(isOn ? [...old, ...ids] : [...old].filter((id) => !ids.includes(id))));
  const choose = mayAct ? { marked, toggle } : undefined;
  return (
    <div className="stack">
      <div className="row between">
        <h1>
          Alerts <Term title="each number of the alerts" of={['AlertCount.unacknowledged', 'Alert.step']} />
        </h1>
        {open !== undefined && (
          <span className="muted" data-number="open">
            {open === 0 ? 'none open' : `${open.toLocaleString('en')} open`}
          </span>
        )}
      </div>
      <AlertFilters alerts={items} nameOf={nameOf} />
      {marked.length > 0 && (
        <ChosenBar
          count={marked.length}
          isBusy={isPending}
          onAcknowledge={() => acknowledge(marked)}
          onClear={() => setChosen(new Set())}
        />
      )}
      {failure !== null && <ErrorNote error={failure} />}
      {alerts.error !== null && <ErrorNote error={alerts.error} retry={alerts.refetch} />}
      {alerts.items === undefined && alerts.error === null && <Waiting what="the alerts" />}
      {alerts.items?.length === 0 && (
        <p className="muted" data-part="empty">
          No alert is like that.{' '}
          {search.size > 0 ? (
            <button
              className="plain"
              onClick={() =>
                setSearch(Object.fromEntries([...search.keys()].map((name) => [name, undefined])))
              }
            >
              Show all open ones
            </button>
          ) : (
            'When a rule of the collapse monitor fires, or a run needs attention, it is listed here at once.'
          )}
        </p>
      )}
      {items.length > 0 && (
        <AlertTable
          alerts={items}
          now={now}
          nameOf={nameOf}
          choose={choose}
          isBusy={isPending}
          onAcknowledge={acknowledge}
        />
      )}
      <More of={alerts} what="alerts" />
    </div>
  );
}

interface ChosenProps {
  readonly count: number;
  readonly isBusy: boolean;
  onAcknowledge(): void;
  onClear(): void;
}

function ChosenBar({ count, isBusy, onAcknowledge, onClear }: ChosenProps) {
  return (
    <section className="card bulk" aria-label="Chosen alerts">
      <div className="row">
        <b role="status">{count} chosen</b>
        <button disabled={isBusy || count > mostAtOnce} onClick={onAcknowledge}>
          {`Acknowledge ${count}`}
        </button>
        <button className="plain" onClick={onClear}>
          Clear
        </button>
        {count > mostAtOnce && (
          <span className="small muted">At most {mostAtOnce} are acknowledged at once.</span>
        )}
      </div>
    </section>
  );
}

/** Names of the runs of alerts; the id of one that is gone, or not read yet. */
function useRunNames(alerts: readonly Alert[]): (runId: string) => string {
  const { client } = useSession();
  const ids = [...new Set(alerts.map(({ runId }) => runId))].slice(0, 100).sort();
  const { data } = useQuery({
    queryKey: ['run-names', ids],
    meta: { what: 'the names of runs' },
    queryFn: async () => {
      const { items } = await client.runs.list({ ids }, { first: 100 });
      return new Map(items.map(({ id, title, name }) => [id, title || name]));
    },
    enabled: ids.length > 0,
    placeholderData: (old) => old,
  });
  return (runId) => data?.get(runId) ?? runId;
}

interface TableProps {
  readonly alerts: readonly Alert[];
  readonly now: number;
  /** undefined: nothing can be done to alerts, so none are chosen */
  readonly choose:
    | { readonly marked: readonly string[]; toggle(ids: readonly string[], isOn: boolean): void }
    | undefined;
  readonly isBusy: boolean;
  nameOf(runId: string): string;
  onAcknowledge(ids: readonly string[]): void;
}

function AlertTable({ alerts, now, nameOf, choose, isBusy, onAcknowledge }: TableProps) {
  const open = alerts.filter(({ acknowledgedAt }) => acknowledgedAt === null).map(({ id }) => id);
  return (
    <section className="card alert-table" aria-label="Alerts">
      {choose !== undefined && (
        <label className="row small muted head">
          <input
            type="checkbox"
            aria-label="Choose all open alerts that are listed"
            disabled={open.length === 0}
            checked={open.length > 0 && choose.marked.length === open.length}
            onChange={({ target }) => choose.toggle(open, target.checked)}
          />
          All open ones that are listed
        </label>
      )}
      <ul>
        {alerts.map((alert) => {
          const { id, runId, severity, code, message, step, time, rules, acknowledgedAt } = alert;
          const what = rules?.map((rule) => rule.replaceAll('-', ' ')).join(', ') ?? toVisible(code);
          return (
            <li key={id} data-alert={id} className={acknowledgedAt === null ? '' : 'done'}>
              {choose !== undefined && (
                <input
                  type="checkbox"
                  aria-label={`Choose: ${what}`}
                  disabled={acknowledgedAt !== null}
                  checked={choose.marked.includes(id)}
                  onChange={({ target }) => choose.toggle([id], target.checked)}
                />
              )}
              <Badge of={severity} />
              <div className="what">
                <Link href={roomOf(alert)}>
                  {what}
                  {step !== null && <> at step {step}</>}
                </Link>
                <div className="small muted said">
                  <Text of={message} />
                </div>
              </div>
              <div className="small cut run">
                <Link href={toPath('runs', runId)} title={toVisible(runId)}>
                  <Text of={nameOf(runId)} />
                </Link>
                <div className="faint" title={formatMoment(time)}>
                  {formatAge(time, now)}
                </div>
              </div>
              <div className="small who">
                <Assignee of={alert} label={`Assignee of: ${what}`} />
              </div>
              <div className="small act">
                {acknowledgedAt === null ? (
                  choose !== undefined && (
                    <button disabled={isBusy} onClick={() => onAcknowledge([id])}>
                      Acknowledge
                    </button>
                  )
                ) : (
                  <span className="faint" title={formatMoment(acknowledgedAt)}>
                    acknowledged by <Text of={alert.acknowledgedBy ?? ''} />
                  </span>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
