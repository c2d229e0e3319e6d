/** @file Several runs over one another: their curves, the options that differ, their last numbers. */
import type { Run, RunComparison } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { lineColor, lineDash, Plot } from '../charts/plot.js';
import { alignLines } from '../charts/series.js';
import { formatValue } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { useSession } from '../session/session-context.js';

/** as many as the server compares */
const mostRuns = 50;

const compared = [
  ['validation/success_rate', 'Validation success', 'probability'],
  ['rollout/success_rate', 'Training success', 'probability'],
  ['rollout/reward_mean', 'Reward', '1'],
  ['rollout/entropy', 'Entropy', 'nats'],
  ['policy/gradient_norm', 'Gradient norm', '1'],
  ['rollout/response_length', 'Response length', 'tokens'],
] as const;

export default function ComparePage() {
  const { client } = useSession();
  const [search, setSearch] = useSearch();
  const ids = useMemo(
    () =>
      (search.get('runs') ?? '')
        .split(',')
        .filter((id) => id !== '')
        .slice(0, mostRuns),
    [search],
  );
  const { data: known } = useQuery({
    queryKey: ['runs-to-compare'],
    queryFn: () => client.runs.list({}, { first: 100 }),
  });
  const comparison = useQuery({
    queryKey: ['comparison', ids],
    queryFn: () => client.runs.compare(ids, { metrics: compared.map(([name]) => name) }),
    enabled: ids.length > 0,
    placeholderData: (old) => old,
  });
  const history = useQuery({
    queryKey: ['compared', ids],
    queryFn: () =>
      client.metrics.history(
        ids,
        compared.map(([name]) => name),
        { points: 400 },
      ),
    enabled: ids.length > 0,
    refetchInterval: 5000,
    placeholderData: (old) => old,
  });
  useEffect(() => {
    document.title = 'Compare · Espalier';
  }, []);
  const toggle = (id: string): void =>
    setSearch({ runs: (ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]).join(',') });
  const nameOf = (id: string): string => {
    const run =
      comparison.data?.runs.find((one) => one.id === id) ?? known?.items.find((one) => one.id === id);
    return toVisible(run === undefined ? id : run.title || run.name);
  };
  return (
    <div className="stack">
      <h1>Compare</h1>
      <Chooser runs={known?.items ?? []} ids={ids} toggle={toggle} />
      {(comparison.error ?? history.error) !== null && (
        <ErrorNote error={comparison.error ?? history.error} />
      )}
      {ids.length === 0 && (
        <Notice title="Choose runs above">
          <p>Their curves lie over one another, and the options in which they differ are listed.</p>
        </Notice>
      )}
      {ids.length > 0 && history.isPending && <Waiting what="the runs" />}
      {ids.length > 0 && history.data !== undefined && (
        <div className="panels">
          {compared.map(([metric, title, unit], index) => (
            <ComparedPanel
              key={metric}
              title={title}
              unit={unit}
              isSparse={metric.startsWith('validation/')}
              lines={ids.map((id, run) => ({
                id,
                name: nameOf(id),
                series: history.data[run * compared.length + index] ?? undefined,
              }))}
            />
          ))}
        </div>
      )}
      {comparison.data !== undefined && ids.length > 1 && (
        <Differences comparison={comparison.data} nameOf={nameOf} />
      )}
    </div>
  );
}

interface ChooserProps {
  readonly runs: readonly Run[];
  readonly ids: readonly string[];
  toggle(id: string): void;
}

/** The newest runs; a chosen one has the colour of its lines. */
function Chooser({ runs, ids, toggle }: ChooserProps) {
  return (
    <div className="chooser">
      {runs.map((run) => {
        const at = ids.indexOf(run.id);
        return (
          <button key={run.id} aria-pressed={at >= 0} onClick={() => toggle(run.id)} title={run.id}>
            {at >= 0 && <i style={{ background: `var(${lineColor(at)})` }} />}
            <Text of={run.title || run.name} /> <span className="faint">{run.id.slice(-5)}</span>
          </button>
        );
      })}
    </div>
  );
}

interface DifferencesProps {
  readonly comparison: RunComparison;
  nameOf(id: string): string;
}

function Differences({ comparison, nameOf }: DifferencesProps) {
  return (
    <section className="card">
      <header>
        <h2>Options that differ</h2>
      </header>
      <div className="scroll">
        <table className="actions">
          <thead>
            <tr>
              <th>Option</th>
              {comparison.runs.map(({ id }) => (
                <th key={id}>
                  <Link href={toPath('runs', id)}>{nameOf(id)}</Link>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {comparison.differences.map(({ path, values }) => (
              <tr key={path}>
                <td className="mono">
                  <Text of={path} />
                </td>
                {values.map((value, index) => (
                  <td key={index} className="mono">
                    {value === null || value === undefined ? (
                      <span className="faint">not set</span>
                    ) : (
                      <Text of={JSON.stringify(value)} />
                    )}
                  </td>
                ))}
              </tr>
            ))}
            {comparison.differences.length === 0 && (
              <tr>
                <td colSpan={comparison.runs.length + 1} className="muted">
                  None: the runs have the same options.
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface ComparedLine {
  readonly id: string;
  readonly name: string;
  readonly series:
    | {
        readonly steps: readonly (number | null)[];
        readonly values: readonly (number | null)[];
        readonly decimated: boolean;
      }
    | undefined;
}

function ComparedPanel({
  title,
  unit,
  lines,
  isSparse,
}: {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly ComparedLine[];
  readonly isSparse: boolean;
}) {
  const [row, setRow] = useState<number | null>(null);
  const { steps, columns } = alignLines(
    lines.map(({ series }) => ({
      series: series && {
        steps: series.steps.map(Number),
        values: series.values,
        isDecimated: series.decimated,
      },
      isSparse,
    })),
  );
  const lastOf = (column: number): number | null | undefined =>
    row === null
      ? columns[column]?.filter((value) => typeof value === 'number').at(-1)
      : columns[column]?.[row];
  return (
    <section className="card panel">
      <header>
        <h3>{title}</h3>
        <span className="faint small at">{row === null ? 'last' : `step ${steps[row]}`}</span>
      </header>
      <Plot
        title={title}
        steps={steps}
        lines={lines.map(({ name }, index) => ({
          label: name,
          values: columns[index] ?? [],
          color: lineColor(index),
          dash: lineDash(index),
          isSparse,
        }))}
        unit={unit}
        sync="compare"
        onHover={setRow}
      />
      <ul className="legend">
        {lines.map(({ id, name }, index) => (
          <li key={id}>
            <i style={{ background: `var(${lineColor(index)})` }} className={index < 8 ? '' : 'dashed'} />
            <span className="cut">{name}</span>
            <b>{formatValue(lastOf(index), unit)}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}
