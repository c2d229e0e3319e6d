/**
 * @file The same prompt across checkpoints and runs: which validation of which run solved it, and what was written, side by
 * side, from the trajectories that validations stored.
 */
import type { Run, TrajectoryRow } from '@espalier/client';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { usePages } from '../data/use-pages.js';
import { formatCount, formatNumber } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { More } from '../parts/more.js';
import { ErrorNote, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { useSession } from '../session/session-context.js';

/** as many as stand beside each other */
const mostCells = 4;
const mostRuns = 12;
/** trajectories that are read at once */
const size = 200;

const promptOf = ({ environmentTag, stateSeed }: TrajectoryRow): string =>
  `${stateSeed}${environmentTag === null ? '' : `@${environmentTag}`}`;
const cellOf = ({ runId, step }: Pick<TrajectoryRow, 'runId' | 'step'>): string => `${runId}@${step}`;

/** The prompts of the newest validations, and where the trajectories of one are stored. */
function usePrompts(ids: readonly string[], wanted: string | null) {
  const { client } = useSession();
  const all = { runIds: [...ids], split: 'validation' as const };
  const newest = usePages({
    queryKey: ['prompts', ids],
    read: (page) =>
      client.trajectories.search(all, { ...page, orderBy: { field: 'step', direction: 'desc' } }),
    count: () => client.totals.trajectories(all),
    size,
  });
  const prompts = useMemo(() => {
    const rows = newest.items ?? [];
    return [...new Map(rows.map((row) => [promptOf(row), row])).values()].sort(
      (a, b) => a.stateSeed - b.stateSeed,
    );
  }, [newest.items]);
  const prompt = prompts.find((row) => promptOf(row) === wanted) ?? prompts[0];
  const { stateSeed = 0, environmentTag = null } = prompt ?? {};
  const same = { ...all, stateSeed, ...(environmentTag !== null && { environmentTag }) };
  const found = usePages({
    queryKey: ['prompt', ids, stateSeed, environmentTag],
    read: (page) =>
      client.trajectories.search(same, { ...page, orderBy: { field: 'step', direction: 'asc' } }),
    count: () => client.totals.trajectories(same),
    size,
    isWanted: prompt !== undefined,
  });
  return { newest, prompts, prompt, found };
}

const noRows: readonly TrajectoryRow[] = [];

export function Prompts({ runs, nameOf }: { readonly runs: readonly Run[]; nameOf(id: string): string }) {
  const [search, setSearch] = useSearch();
  const ids = runs.slice(0, mostRuns).map(({ id }) => id);
  const { newest, prompts, prompt, found } = usePrompts(ids, search.get('prompt'));
  const rows = found.items ?? noRows;
  const cells = useCells(rows, search.get('cells'));
  const error = newest.error ?? found.error;
  const toggle = (cell: string): void => {
    const next = cells.includes(cell)
      ? cells.filter((one) => one !== cell)
      : [...cells, cell].slice(-mostCells);
    setSearch({ cells: next.join(',') });
  };
  return (
    <section className="card" data-part="prompts">
      <header>
        <h2>The same prompt</h2>
        {prompts.length > 0 && (
          <select
            aria-label="Prompt"
            value={prompt === undefined ? '' : promptOf(prompt)}
            onChange={(event) => setSearch({ prompt: event.target.value })}
          >
            {prompts.map((row) => (
              <option key={promptOf(row)} value={promptOf(row)}>
                state {row.stateSeed}
                {row.environmentTag === null ? '' : ` of ${toVisible(row.environmentTag)}`}
              </option>
            ))}
          </select>
        )}
        <span className="small muted">
          at each validation; choose up to {mostCells} to read side by side
          {runs.length > mostRuns && `. The first ${mostRuns} of ${runs.length} runs`}
        </span>
      </header>
      {error !== null && <ErrorNote error={error} retry={(newest.error === null ? found : newest).refetch} />}
      {newest.items === undefined && newest.error === null && <Waiting what="the prompts" />}
      {newest.items !== undefined && prompts.length === 0 && (
        <p className="note muted">
          These runs stored no trajectory of a validation: they were not validated, or the trajectories were
          deleted.
        </p>
      )}
      <div className="note">
        <More of={newest} what="validation trajectories" verb="searched for prompts" />
        <More of={found} what="trajectories of this prompt" />
      </div>
      {rows.length > 0 && <Matrix ids={ids} rows={rows} cells={cells} nameOf={nameOf} toggle={toggle} />}
      {cells.length > 0 && (
        <Transcripts rows={rows.filter((row) => cells.includes(cellOf(row)))} nameOf={nameOf} />
      )}
    </section>
  );
}

/** The chosen ones as far as they are stored; else the first, one in the middle and the last of the first run. */
function useCells(rows: readonly TrajectoryRow[], given: string | null): readonly string[] {
  return useMemo(() => {
    const known = new Set(rows.map(cellOf));
    const chosen = (given ?? '').split(',').filter((cell) => known.has(cell));
    if (chosen.length > 0 || given === '') return chosen.slice(0, mostCells);
    const own = rows.filter(({ runId }) => runId === rows[0]?.runId);
    const picked = [own[0], own[Math.floor((own.length - 1) / 2)], own.at(-1)];
    return [...new Set(picked.flatMap((row) => (row === undefined ? [] : [cellOf(row)])))];
  }, [rows, given]);
}

interface MatrixProps {
  readonly ids: readonly string[];
  readonly rows: readonly TrajectoryRow[];
  readonly cells: readonly string[];
  nameOf(id: string): string;
  toggle(cell: string): void;
}

/** A row for each run, a column for each validated step. */
function Matrix({ ids, rows, cells, nameOf, toggle }: MatrixProps) {
  const steps = [...new Set(rows.map(({ step }) => step))].sort((a, b) => a - b);
  const byCell = new Map(rows.map((row) => [cellOf(row), row]));
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label="Which validation solved the prompt">
      <table className="actions matrix">
        <thead>
          <tr>
            <th>Run</th>
            {steps.map((step) => (
              <th key={step}>{step}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ids.map((runId) => (
            <tr key={runId}>
              <td className="nowrap">
                <Link href={toPath('runs', runId)}>{nameOf(runId)}</Link>
              </td>
              {steps.map((step) => {
                const row = byCell.get(cellOf({ runId, step }));
                if (row === undefined)
                  return (
                    <td key={step} className="faint" title="no trajectory of this prompt is stored here">
                      –
                    </td>
                  );
                const what = row.error !== null ? 'failed' : row.success ? 'solved' : 'not solved';
                return (
                  <td key={step}>
                    <button
                      className={row.success ? 'solved' : ''}
                      aria-pressed={cells.includes(cellOf(row))}
                      aria-label={`${nameOf(runId)} at step ${step}: ${what}`}
                      title={`${what}, reward ${formatNumber(row.reward)}`}
                      onClick={() => toggle(cellOf(row))}
                    >
                      {row.error !== null ? '!' : row.success ? '✓' : '·'}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Transcripts({
  rows,
  nameOf,
}: {
  readonly rows: readonly TrajectoryRow[];
  nameOf(id: string): string;
}) {
  const { client } = useSession();
  const read = useQueries({
    queries: rows.map(({ runId, id }) => ({
      queryKey: ['trajectory-open', runId, id],
      queryFn: () => client.trajectories.open(runId, id),
      staleTime: Infinity,
    })),
  });
  return (
    <div
      className="transcripts"
      style={{ gridTemplateColumns: `repeat(${rows.length}, minmax(220px, 1fr))` }}
    >
      {rows.map((row, at) => (
        <article key={cellOf(row)}>
          <h3>
            <Link href={`${toPath('runs', row.runId, 'trajectories')}/${row.id}`}>
              {nameOf(row.runId)} · step {row.step}
            </Link>
          </h3>
          <p className="small muted">
            {row.success ? 'solved' : 'not solved'}, reward {formatNumber(row.reward)},{' '}
            {formatCount(row.turns, 'turn')}
            {row.error !== null && (
              <>
                , failed: <Text of={row.error} />
              </>
            )}
          </p>
          {read[at]?.isError === true && (
            <ErrorNote error={read[at].error} retry={() => void read[at]?.refetch()} />
          )}
          {read[at]?.isPending === true && <Waiting what="it" />}
          {read[at]?.data?.turns.map((turn) => (
            <div key={turn.index} className="exchange">
              <pre className="seen">
                <Text of={turn.observation} />
              </pre>
              <pre className="written">
                {turn.response === '' ? (
                  <span className="faint">an empty response</span>
                ) : (
                  <Text of={turn.response} />
                )}
              </pre>
            </div>
          ))}
        </article>
      ))}
    </div>
  );
}
