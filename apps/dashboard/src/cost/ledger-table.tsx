import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import { columnsOf, type RunLedger } from './columns.js';

interface Props {
  readonly ledgers: readonly RunLedger[];
  /** names the run of each row; undefined: there is one run, whose page this is */
  readonly nameOf?: (id: string) => string;
}

/** The numbers of ledgers, a row for each. */
export function LedgerTable({ ledgers, nameOf }: Props) {
  const columns = columnsOf(ledgers);
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label="What it cost">
      <table className={nameOf && 'actions'}>
        <thead>
          <tr>
            {nameOf && <th>Run</th>}
            {columns.map(({ head }) => (
              <th key={head} className="number-cell">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ledgers.map((ledger) => (
            <tr key={ledger.runId}>
              {nameOf && (
                <td>
                  <Link href={toPath('runs', ledger.runId)}>{nameOf(ledger.runId)}</Link>
                </td>
              )}
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
  );
}
