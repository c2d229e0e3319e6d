/** @file What colours and underlines of tokens mean, and what became of the trajectory in its update. */
import { Term } from '../charts/term.js';
import type { TermKey } from '../charts/terms.js';
import type { OpenedTrajectory } from '../data/types.js';
import { formatNumber, formatShare } from '../format/numbers.js';
import { clipWords, type Measure } from './measures.js';

const termsOf = ({ columns }: Measure): readonly TermKey[] =>
  columns.map((name) => `TrajectoryTokens.${name}` as TermKey);

export function Legend({
  measure,
  trajectory,
}: {
  readonly measure: Measure;
  readonly trajectory: OpenedTrajectory;
}) {
  const { update } = trajectory;
  const { from, to, middle, unit } = measure;
  return (
    <div className="row small muted token-legend">
      <span className="legend-bar">
        {formatNumber(from)}
        <i className={middle === undefined ? 'one' : 'two'} />
        {formatNumber(to)} {unit}
        <Term title="the colour of a token" of={termsOf(measure)} />
      </span>
      <span>
        <i className="swatch hatched" /> absent
      </span>
      <span>
        {Object.entries(clipWords).map(([side, words]) => (
          <u key={side} className={`clip ${side}`}>
            {words}
          </u>
        ))}
      </span>
      <span className="masked-word">outside the loss mask</span>
      {update !== null && (
        <b className="fate">
          {update.outcome.replaceAll('-', ' ')}
          {update.share !== null && `, ${formatShare(update.share)} of its step’s update`}
          {update.clippedTokens !== null &&
            `, ${update.clippedTokens} of ${update.lossTokens} loss tokens clipped`}
        </b>
      )}
    </div>
  );
}
