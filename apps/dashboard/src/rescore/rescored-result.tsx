/** @file What came of scoring again, beside what was stored. */
import { Term } from '../charts/term.js';
import { formatNumber, formatShare } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { keptSearch } from '../routing/run-filter.js';
import { movedMost } from './rescore.js';
import type { Rescored } from './use-rescored.js';

const mostMoved = 5;

type Weights = readonly { readonly use: string; readonly weight: number }[];

interface Props {
  readonly runId: string;
  /** of the checkpoint */
  readonly step: number;
  /** of the rewards that make the new totals; null: not known, or none do */
  readonly weights: Weights | null;
  readonly result: Rescored;
}

export function RescoredResult({ runId, step, weights, result }: Props) {
  const { rescoredRewards: rewards, rescoredTokens: tokens, failed, episodes } = result;
  return (
    <div className="rescored stack tight" role="group" aria-label="Result">
      <p className="small muted">
        {episodes} trajectories{' '}
        <Term
          title="the result of scoring again"
          of={[
            'RescoredRewards.meanStored, meanRescored',
            'RescoredRewards.differingStored, differingRescored',
            'RescoredRewards.reversed',
            'RescoredRewards.correlation',
            'Evaluation.metrics[reward/…]',
            'RescoredTotals.stored, rescored',
            'RescoredTokens.logprob, entropy, kl',
          ]}
        />
        {failed > 0 && `; ${failed} left out, as their episodes failed`}
      </p>
      {rewards !== null && weights !== null && (
        <p className="small" data-number="weights">
          <span className="muted">Total = </span>
          {weights.map(({ use, weight }, at) => (
            <span key={at}>
              {at > 0 && ' + '}
              <b>{formatNumber(weight)}</b> × <span className="mono">{toVisible(use)}</span>
            </span>
          ))}
        </p>
      )}
      {rewards !== null && <Totals rewards={rewards} metrics={result.metrics} />}
      {rewards !== null && <Moved runId={runId} totals={result.rescoredTotals} />}
      {tokens !== null && <Tokens step={step} tokens={tokens} />}
    </div>
  );
}

interface TotalsProps {
  readonly rewards: NonNullable<Rescored['rescoredRewards']>;
  readonly metrics: Rescored['metrics'];
}

function Totals({ rewards, metrics }: TotalsProps) {
  const parts = Object.entries(metrics).filter(([name]) => name.startsWith('reward/'));
  const { meanStored, meanRescored, differingStored, differingRescored, correlation, reversed } = rewards;
  return (
    <div className="scroll">
      <table className="actions" aria-label="Rewards, stored and scored again">
        <thead>
          <tr>
            <th />
            <th className="number-cell">Stored</th>
            <th className="number-cell">Scored again</th>
          </tr>
        </thead>
        <tbody>
          <tr data-number="mean">
            <td>Mean total</td>
            <td className="number-cell">{formatNumber(meanStored)}</td>
            <td className="number-cell">{formatNumber(meanRescored)}</td>
          </tr>
          <tr>
            <td>Groups whose members differ</td>
            <td className="number-cell">{formatShare(differingStored)}</td>
            <td className="number-cell">{formatShare(differingRescored)}</td>
          </tr>
          <tr>
            <td>Pairs of a group told apart the other way</td>
            <td />
            <td className="number-cell">{reversed === null ? 'no pair differed' : formatShare(reversed)}</td>
          </tr>
          <tr>
            <td>Correlation of the totals</td>
            <td />
            <td className="number-cell">
              {correlation === null ? 'none: one does not vary' : formatNumber(correlation)}
            </td>
          </tr>
          {parts.map(([name, value]) => (
            <tr key={name}>
              <td>
                Mean of <span className="mono">{toVisible(name.slice('reward/'.length))}</span>
              </td>
              <td />
              <td className="number-cell">{formatNumber(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Moved({ runId, totals }: { readonly runId: string; readonly totals: Rescored['rescoredTotals'] }) {
  const [search] = useSearch();
  if (totals === null)
    return (
      <p className="small muted">
        More than 1,000 trajectories: totals one by one are in no answer. Choose fewer steps for them.
      </p>
    );
  const moved = movedMost(totals, mostMoved);
  const kept = keptSearch(search, { again: search.get('again') ?? '' });
  return (
    <p className="small">
      {moved.length === 0 ? (
        <span className="muted">No total changed.</span>
      ) : (
        <>
          <span className="muted">Changed most: </span>
          {moved.map(({ trajectory, stored, rescored }) => (
            <span key={trajectory} className="moved-total">
              <Link className="mono" href={`${toPath('runs', runId, 'trajectories', trajectory)}${kept}`}>
                {trajectory}
              </Link>{' '}
              {formatNumber(stored)} → {formatNumber(rescored)}
            </span>
          ))}
        </>
      )}
    </p>
  );
}

function Tokens({
  step,
  tokens,
}: {
  readonly step: number;
  readonly tokens: NonNullable<Rescored['rescoredTokens']>;
}) {
  return (
    <div className="scroll">
      <table className="actions" aria-label={`Tokens, sampled and under the checkpoint of step ${step}`}>
        <thead>
          <tr>
            <th className="number-cell">Step</th>
            <th className="number-cell">Tokens</th>
            <th className="number-cell">Log-probability</th>
            <th className="number-cell">under step {step}</th>
            <th className="number-cell">Entropy</th>
            <th className="number-cell">under step {step}</th>
            <th className="number-cell">KL</th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((one) => (
            <tr key={one.step}>
              <td className="number-cell">{one.step}</td>
              <td className="number-cell">{one.tokens}</td>
              <td className="number-cell">{formatNumber(one.logprobStored)}</td>
              <td className="number-cell">{formatNumber(one.logprobModel)}</td>
              <td className="number-cell">{formatNumber(one.entropyStored)}</td>
              <td className="number-cell">{formatNumber(one.entropyModel)}</td>
              <td className="number-cell">{formatNumber(one.kl)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="small muted">Nats per token; KL of the sampler from the checkpoint.</p>
    </div>
  );
}
