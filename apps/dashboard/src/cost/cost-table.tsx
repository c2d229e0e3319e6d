/** @file A table of what runs have cost, a row for each. */
import type { Run } from '@espalier/client';
import { Term } from '../charts/term.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import { columns } from './columns.js';
import { useLedgers } from './use-ledgers.js';

interface Props {
  readonly runs: readonly Run[];
  nameOf(id: string): string;
}

export function CostTable({ runs, nameOf }: Props) {
  const { data = [] } = useLedgers(runs);
  if (data.length === 0) return null;
  return (
    <section className="card" data-part="costs">
      <header>
        <h2>What it cost</h2>
        <Term title="each number of a cost" of={[...new Set(columns.map(({ term }) => term))]} />
        <span className="small muted">
          over all steps of a run; times and energies on different or shared machines do not compare
        </span>
      </header>
      <div className="scroll" tabIndex={0} role="group" aria-label="What it cost">
        <table className="actions">
          <thead>
            <tr>
              <th>Run</th>
              {columns.map(({ head }) => (
                <th key={head} className="number-cell">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.map((ledger) => (
              <tr key={ledger.runId}>
                <td>
                  <Link href={toPath('runs', ledger.runId)}>{nameOf(ledger.runId)}</Link>
                </td>
                {columns.map(({ head, show }) => (
                  <td key={head} className="number-cell nowrap">
                    {show(ledger)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
