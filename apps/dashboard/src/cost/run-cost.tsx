/** @file What a run has cost so far, in all and by phase. */
import type { Run } from '@espalier/client';
import { useMemo } from 'react';
import { Term } from '../charts/term.js';
import { formatSeconds } from '../format/numbers.js';
import { terms, wattHours } from './columns.js';
import { LedgerTable } from './ledger-table.js';
import { useLedgers } from './use-ledgers.js';

/** Nothing before the first step. */
export function RunCost({ run: { id, state } }: { readonly run: Pick<Run, 'id' | 'state'> }) {
  const runs = useMemo(() => [{ id, state, step: null }], [id, state]);
  const [ledger] = useLedgers(runs).data ?? [];
  if (ledger === undefined) return null;
  return (
    <section className="card" data-part="cost">
      <header>
        <h3>What it cost</h3>
        <span className="faint small">so far, over all steps</span>
        <Term title="what it cost" of={terms} />
      </header>
      <LedgerTable ledgers={[ledger]} />
      <details>
        <summary className="small">By phase</summary>
        <table>
          <thead>
            <tr>
              <th>Phase</th>
              <th className="number-cell">Wall time</th>
              <th className="number-cell">Processor time</th>
              <th className="number-cell">Energy</th>
            </tr>
          </thead>
          <tbody>
            {ledger.phases
              .filter(({ wallSeconds }) => wallSeconds > 0)
              .map(({ phase, wallSeconds, processorSeconds, energyJoules }) => (
                <tr key={phase}>
                  <td>{phase}</td>
                  <td className="number-cell">{formatSeconds(wallSeconds)}</td>
                  <td className="number-cell">{formatSeconds(processorSeconds)}</td>
                  <td className="number-cell">{wattHours(energyJoules)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
