/** @file A table of what runs have cost, a row for each. */
import type { Run } from '@espalier/client';
import { Term } from '../charts/term.js';
import { terms } from './columns.js';
import { LedgerTable } from './ledger-table.js';
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
        <Term title="each number of a cost" of={terms} />
        <span className="small muted">
          over all steps of a run; times and energies on different or shared machines do not compare
        </span>
      </header>
      <LedgerTable ledgers={data} nameOf={nameOf} />
    </section>
  );
}
