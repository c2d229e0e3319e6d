/** @file The groups in numbers, with intervals, and a test between two of them. */
import { Term } from '../charts/term.js';
import type { RunComparison } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import type { MetricFacts } from '../charts/about.js';
import { lineColor, lineDash } from '../charts/line-style.js';
import { formatNumber, formatValue, possible } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { ErrorNote } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import { inOrder, labelOf, type Selection, statistics } from './selection.js';
import { usualMetrics } from './use-view.js';

type Spread = RunComparison['metrics'][number]['groups'][number]['last'];

interface Props {
  readonly compared: RunComparison;
  /** in this order */
  readonly shown: readonly string[];
  readonly selection: Selection;
  readonly facts: ReadonlyMap<string, MetricFacts>;
  nameOf(id: string): string;
}

export function GroupTable({ compared, shown, selection, facts, nameOf }: Props) {
  const { statistic, band, by } = selection;
  const [search] = useSearch();
  const labels = compared.groups.map((group) => labelOf(group, by, nameOf));
  const chosen = ['a', 'b'].map((name, at) => {
    const given = Number(search.get(name) ?? Number.NaN);
    return Number.isInteger(given) && given >= 0 && given < labels.length ? given : at;
  });
  const [first = 0, second = 1] = chosen;
  return (
    <section className="card" data-part="groups">
      <header>
        <h2>Groups</h2>
        <Term
          title="each number of a group"
          of={[
            'RunComparison.groups.mean',
            'RunComparison.groups.low, high',
            'RunComparison.groups.min, max',
            'GroupTest.difference',
            'GroupTest.adjusted',
          ]}
        />
        <span className="small muted">
          {statistics[statistic]}, mean over runs{' '}
          {band === 'interval'
            ? 'with its 95 % interval (Student); one run has none'
            : 'with the lowest and highest run'}
        </span>
      </header>
      <div className="scroll" tabIndex={0} role="group" aria-label="Groups in numbers">
        <table className="actions">
          <thead>
            <tr>
              <th>Group</th>
              <th>Runs</th>
              {inOrder(compared.metrics, shown).map(({ name }) => (
                <th key={name} title={name} className="number-cell">
                  {usualMetrics.get(name) ?? toVisible(name)}
                </th>
              ))}
              <th>Test</th>
            </tr>
          </thead>
          <tbody>
            {labels.map((label, group) => (
              <GroupRow
                key={group}
                group={group}
                label={label}
                compared={compared}
                shown={shown}
                selection={selection}
                facts={facts}
                nameOf={nameOf}
                chosen={chosen}
              />
            ))}
          </tbody>
        </table>
      </div>
      {labels.length > 1 && first !== second && (
        <Test
          ids={compared.groups[first]?.runIds ?? []}
          against={compared.groups[second]?.runIds ?? []}
          names={[labels[first] ?? '', labels[second] ?? '']}
        />
      )}
    </section>
  );
}

interface RowProps extends Props {
  readonly group: number;
  readonly label: string;
  /** the two that are tested */
  readonly chosen: readonly number[];
}

function GroupRow({ compared, shown, group, label, selection, facts, nameOf, chosen }: RowProps) {
  const [, setSearch] = useSearch();
  const { runIds = [] } = compared.groups[group] ?? {};
  return (
    <tr>
      <td>
        <i
          className={`swatch ${lineDash(group).length === 0 ? '' : 'dashed'}`}
          style={{ background: `var(${lineColor(group)})`, color: `var(${lineColor(group)})` }}
        />{' '}
        {label}
      </td>
      <td className="small">
        {runIds.slice(0, 4).map((id, at) => (
          <span key={id}>
            {at > 0 && ' '}
            <Link href={toPath('runs', id)} title={nameOf(id)}>
              {id.slice(-5)}
            </Link>
          </span>
        ))}
        {runIds.length > 4 && <span className="faint"> and {runIds.length - 4}</span>}
      </td>
      {inOrder(compared.metrics, shown).map((metric) => (
        <td key={metric.name} className="number-cell nowrap">
          <Estimate
            of={metric.groups[group]?.[selection.statistic] ?? null}
            runs={runIds.length}
            notFinite={countNotFinite(metric, runIds)}
            unit={facts.get(metric.name)?.unit ?? null}
            band={selection.band}
          />
        </td>
      ))}
      <td className="nowrap">
        {['a', 'b'].map((name, at) => (
          <button
            key={name}
            className="plain"
            aria-pressed={chosen[at] === group}
            aria-label={`${label} is ${at === 0 ? 'tested' : 'tested against'}`}
            onClick={() => setSearch({ [name]: String(group) })}
          >
            {name.toUpperCase()}
          </button>
        ))}
      </td>
    </tr>
  );
}

/** Runs that reported a metric, but never as a number. */
const countNotFinite = ({ runs }: RunComparison['metrics'][number], ids: readonly string[]): number =>
  runs.filter(({ runId, count }) => count === 0 && ids.includes(runId)).length;

function Estimate({
  of,
  runs,
  notFinite,
  unit,
  band,
}: {
  readonly of: Spread;
  readonly runs: number;
  /** of these */
  readonly notFinite: number;
  readonly unit: string | null;
  readonly band: Selection['band'];
}) {
  const what = 'NaN or infinite';
  if (of === null && notFinite > 0) return <span className="down">{what}</span>;
  if (of === null) return <span className="faint">not reported</span>;
  const [low, high] = band === 'interval' ? [of.low, of.high] : [of.min, of.max];
  return (
    <>
      <b>{formatValue(of.mean, unit)}</b>
      {of.count > 1 && low !== null && high !== null && (
        <span className="muted small">
          {' '}
          [{formatValue(possible(low, unit), unit)}, {formatValue(possible(high, unit), unit)}]
        </span>
      )}
      {of.count < runs && (
        <span className="faint small">
          {' '}
          {of.count} of {runs}
        </span>
      )}
      {notFinite > 0 && (
        <span className="down small" title="it was never a number there">
          {' '}
          {`${what} in ${notFinite}`}
        </span>
      )}
    </>
  );
}

const methods: Readonly<Record<string, string>> = {
  'mcnemar-exact': "McNemar's test, exact",
  'sign-flip-exact': "Fisher's randomization test, exact",
  'sign-flip-drawn': "Fisher's randomization test, 10,000 draws",
};

const points = (value: number): string =>
  `${value > 0 ? '+' : ''}${(100 * value).toFixed(1)}`.replace('-', '−');

/** The numbers of `espalier compare`. */
function Test({
  ids,
  against,
  names,
}: {
  readonly ids: readonly string[];
  readonly against: readonly string[];
  readonly names: readonly [string, string];
}) {
  const { client } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['group-test', ids, against],
    queryFn: () => client.runs.testGroups(ids, against),
  });
  return (
    <div className="note" data-part="test">
      <p className="small muted">
        A − B: <Text of={names[0]} /> − <Text of={names[1]} />, in success on the validation states that all
        their runs completed
      </p>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data?.reason !== null && data !== undefined && <p>No test: {data.reason}.</p>}
      {data?.tests.map(({ tag, step, states, difference, low, high, p, adjusted, method }) => (
        <p key={tag}>
          {tag !== null && (
            <>
              <Text of={tag} />:{' '}
            </>
          )}
          <b>{points(difference)} points</b> [{points(low)}, {points(high)}] on {states} states at step {step}
          , p {formatNumber(adjusted)}
          {adjusted >= 0.05 ? ': not separable' : ''}{' '}
          <span className="faint small">
            {methods[method] ?? method}
            {data.tests.length > 1 &&
              `; corrected for ${data.tests.length} tests (Holm), before ${formatNumber(p)}`}
            ; interval by bootstrap over states
          </span>
        </p>
      ))}
    </div>
  );
}
