/** @file The audit log, for admins: who did what, or tried to; and whether its chain of hashes is whole. */
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { usePages } from '../data/use-pages.js';
import { formatCount, formatMoment } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { More } from '../parts/more.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { useSession } from '../session/session-context.js';

interface Entry {
  readonly id: number;
  readonly time: string;
  readonly keyName: string;
  readonly action: string;
  readonly subject: string;
  readonly outcome: string;
  readonly detail: Readonly<Record<string, unknown>>;
}
interface Listed {
  readonly items: readonly Entry[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}
interface Chain {
  readonly entries: number;
  readonly brokenAt: number | null;
}

export default function AuditPage() {
  const { client } = useSession();
  const [search, setSearch] = useSearch();
  const action = search.get('action') ?? '';
  const read = async <T,>(path: string): Promise<T> => (await (await client.rest(path)).json()) as T;
  const list = usePages({
    queryKey: ['audit', action],
    read: ({ first, after }) => {
      const query = new URLSearchParams({ first: String(first) });
      if (action !== '') query.set('action', action);
      if (after !== null) query.set('after', after);
      return read<Listed>(`/api/v1/audit?${query}`);
    },
  });
  const check = useMutation({ mutationFn: () => read<Chain>('/api/v1/audit/check') });
  useEffect(() => {
    document.title = 'Audit · Espalier';
  }, []);
  if (list.error !== null) return <ErrorNote error={list.error} retry={list.refetch} />;
  const entries = list.items;
  if (entries === undefined) return <Waiting what="the audit log" />;
  return (
    <div className="stack">
      <div className="row between">
        <h1>Audit</h1>
        <div className="row">
          {check.data !== undefined && (
            <span className={check.data.brokenAt === null ? 'muted' : 'bad'} role="status">
              {check.data.brokenAt === null
                ? `${formatCount(check.data.entries, 'entry', 'entries')}, each follows from the one before`
                : `entry ${check.data.brokenAt} does not follow from those before: the log was changed`}
            </span>
          )}
          <button disabled={check.isPending} onClick={() => check.mutate()}>
            Check the chain
          </button>
        </div>
      </div>
      {check.isError && <ErrorNote error={check.error} />}
      {action !== '' && (
        <div>
          <button aria-pressed="true" onClick={() => setSearch({ action: undefined })}>
            {toVisible(action)} ✕
          </button>
        </div>
      )}
      <section className="card">
        {entries.length === 0 ? (
          <Notice title={action === '' ? 'Nothing is recorded yet' : 'There is no such entry'}>
            {action !== '' && <p>Clear the action above to see all.</p>}
          </Notice>
        ) : (
          <Entries entries={entries} onAction={(chosen) => setSearch({ action: chosen }, true)} />
        )}
      </section>
      <More of={list} what="entries" />
    </div>
  );
}

interface EntriesProps {
  readonly entries: readonly Entry[];
  onAction(action: string): void;
}

function Entries({ entries, onAction }: EntriesProps) {
  return (
    <div className="scroll">
      <table className="actions">
        <thead>
          <tr>
            {['When', 'Key', 'Action', 'On', 'Outcome', ''].map((title) => (
              <th key={title}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td className="nowrap">{formatMoment(entry.time)}</td>
              <td className="nowrap">{toVisible(entry.keyName)}</td>
              <td>
                <button className="tag" onClick={() => onAction(entry.action)}>
                  {toVisible(entry.action)}
                </button>
              </td>
              <td className="mono nowrap">
                {entry.subject.startsWith('run-') ? (
                  <Link href={toPath('runs', entry.subject)}>{entry.subject}</Link>
                ) : (
                  toVisible(entry.subject)
                )}
              </td>
              <td className={entry.outcome === 'done' ? '' : 'bad'}>{toVisible(entry.outcome)}</td>
              <td className="mono small muted">{toVisible(JSON.stringify(entry.detail))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
