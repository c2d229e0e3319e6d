import type { TrajectoryDetails } from '@espalier/client';
import { formatNumber } from '../format/numbers.js';
import { Text } from '../parts/text.js';

/** What the score is made of. */
interface Props {
  readonly score: TrajectoryDetails['score'];
  /** its total as it was scored again; undefined: it was not, null: not finite */
  readonly again: number | null | undefined;
}

export function Rewards({ score, again }: Props) {
  return (
    <section className="card rewards">
      <header>
        <h2>Reward {formatNumber(score.total)}</h2>
        {again !== undefined && <span className="again">{formatNumber(again)} scored again</span>}
      </header>
      <table className="actions">
        <thead>
          <tr>
            <th>Part</th>
            <th className="number-cell">Value</th>
            <th className="number-cell">Weight</th>
            <th className="number-cell">Gives</th>
          </tr>
        </thead>
        <tbody>
          {score.rewards.map(({ name, value, weight }) => (
            <tr key={name}>
              <td className="mono">
                <Text of={name} />
              </td>
              <td className="number-cell">{formatNumber(value)}</td>
              <td className="number-cell">{formatNumber(weight)}</td>
              <td className="number-cell">{formatNumber(value * weight)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="small muted">
        The environment gave {formatNumber(score.environment)}; format penalties are{' '}
        {formatNumber(score.formatPenalty)}. By turn:{' '}
        {score.perTurn.map((value) => formatNumber(value)).join(', ') || 'none'}.
      </p>
      {score.evidence.length > 0 && (
        <ul className="evidence small">
          {score.evidence.map(({ reward, turn, start, end, value, note }, index) => (
            <li key={index}>
              <span className="mono">
                <Text of={reward} />
              </span>{' '}
              gave {formatNumber(value)} to tokens {start}–{end - 1} of turn {turn + 1}: <Text of={note} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
