/** @file Everything that is known of one token; what is absent says why. */
import { Term } from '../charts/term.js';
import type { OpenedTrajectory, TokenPage } from '../data/types.js';
import { formatNumber, formatShare } from '../format/numbers.js';
import { toVisible, toVisibleToken } from '../format/visible-text.js';
import { textOf, whyAbsent } from './blocks.js';
import { clipSides } from './measures.js';
import { spellKl, spellLoss } from './spell-loss.js';
import { tellVersion } from '../trajectories/weights.js';
import { emptyOf } from './token-block.js';

interface Props {
  readonly trajectory: OpenedTrajectory;
  readonly token: number | undefined;
  readonly page: TokenPage | undefined;
  /** its page could not be read, which is told elsewhere */
  readonly isFailed: boolean;
}

const kinds: Readonly<Record<string, string>> = {
  think: 'reasoning',
  answer: 'answer',
  control: 'end of turn',
  template: 'prompt format',
  observation: 'observation',
};

export function TokenDetail({ trajectory, token, page, isFailed }: Props) {
  if (token === undefined)
    return (
      <aside className="card token-detail faint small">
        Point at a token, or choose one: its loss is spelled out here. ← and → go on from it, e goes to the
        next extreme.
      </aside>
    );
  if (token >= trajectory.tokenSummary.total)
    return (
      <aside className="card token-detail small" role="status">
        There is no token {token}: the trajectory has {trajectory.tokenSummary.total} tokens.
      </aside>
    );
  if (page === undefined)
    return (
      <aside className="card token-detail faint small">
        {isFailed ? `Token ${token} could not be read.` : `Reads token ${token} …`}
      </aside>
    );
  const at = token - page.from;
  const turn = trajectory.turns.find(({ sampled }) => token >= sampled.start && token < sampled.end);
  const text = turn === undefined ? undefined : textOf(turn, page, token);
  const why = whyAbsent(trajectory, page.mask[at]);
  const read = (column: readonly (number | null)[] | null): number | undefined => column?.[at] ?? undefined;
  const [ratio, advantage, loss, gradient, clipped] = [
    page.ratios,
    page.advantages,
    page.losses,
    page.gradientWeights,
    page.clipped,
  ].map(read);
  const sentences = [
    spellLoss({ ratio, advantage, loss, gradient, clipped }),
    spellKl(between(read(page.logprobs), read(page.referenceLogprobs))),
  ].filter((sentence) => sentence !== undefined);
  const rows = rowsOf(trajectory, page, token);
  return (
    <aside className="card token-detail" aria-live="polite">
      <div className="mono big">
        {turn === undefined
          ? 'not sampled'
          : text === undefined
            ? 'text not recorded'
            : toVisibleToken(text) || emptyOf(token, turn)}
      </div>
      <p className="small faint">
        Its numbers{' '}
        <Term
          title="each number of a token"
          of={[
            'TrajectoryTokens.logprobs',
            'TrajectoryTokens.entropies',
            'TrajectoryTokens.trainerLogprobs',
            'TrajectoryTokens.trainerLogprobs − logprobs',
            'TrajectoryTokens.referenceLogprobs',
            'TrajectoryTokens.logprobs − referenceLogprobs',
            'TrajectoryTokens.advantages',
            'TrajectoryTokens.returns',
            'TrajectoryTokens.samplerWeights',
            'TrajectoryTokens.ratios',
            'TrajectoryTokens.clipped',
            'TrajectoryTokens.losses',
            'TrajectoryTokens.gradientWeights',
            'Trajectory.score.evidence.value',
          ]}
        />
      </p>
      {sentences.length > 0 && <p className="small spelled">{sentences.join(' ')}</p>}
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={value === why ? 'faint' : ''}>{value}</dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}

/** What is known of a token, line by line. */
function rowsOf(
  trajectory: OpenedTrajectory,
  page: TokenPage,
  token: number,
): readonly (readonly [string, string])[] {
  const at = token - page.from;
  const why = whyAbsent(trajectory, page.mask[at]);
  const read = (column: readonly (number | null)[] | null): number | undefined => column?.[at] ?? undefined;
  const nats = (value: number | undefined): string =>
    value === undefined ? why : `${formatNumber(value)} nats`;
  const plain = (value: number | undefined): string => (value === undefined ? why : formatNumber(value));
  const logprob = read(page.logprobs);
  const trainer = read(page.trainerLogprobs);
  const reference = read(page.referenceLogprobs);
  const clipped = read(page.clipped);
  const side = clipSides[clipped ?? 0] ?? '';
  const turn = trajectory.turns.find(({ sampled }) => token >= sampled.start && token < sampled.end);
  const { update } = trajectory;
  const steps = update?.firstPassSteps ?? 0;
  const kind = trajectory.spans.find(({ start, end }) => token >= start && token < end)?.kind ?? 'template';
  return [
    ['Position', `${token}${turn === undefined ? '' : `, turn ${turn.index + 1}`}`],
    ...(turn === undefined ? [] : ([['Weights', tellVersion(turn.policyVersion, update)]] as const)),
    ['Id', String(page.tokens[at] ?? 'unreadable')],
    ['Part of', kinds[kind] ?? kind],
    ['Log-probability', nats(logprob)],
    ['Probability', logprob === undefined ? why : formatShare(Math.exp(logprob))],
    ['Entropy', nats(read(page.entropies))],
    [steps === 0 ? 'Trainer' : `Trainer after ${steps} step${steps === 1 ? '' : 's'}`, nats(trainer)],
    ['Trainer − sampler', nats(between(trainer, logprob))],
    ...(page.referenceLogprobs === null
      ? []
      : ([
          ['Reference', nats(reference)],
          ['KL from the reference', nats(between(logprob, reference))],
        ] as const)),
    ['Advantage', plain(read(page.advantages))],
    ...(page.returns === null ? [] : ([['Return', plain(read(page.returns))]] as const)),
    ...(page.samplerWeights === null
      ? []
      : ([['Sampler weight', plain(read(page.samplerWeights))]] as const)),
    ['Ratio', plain(read(page.ratios))],
    ['Clipped', clipped === undefined ? why : side === '' ? 'no' : side],
    ['Loss', plain(read(page.losses))],
    ['Gradient', plain(read(page.gradientWeights))],
    ...trajectory.score.evidence
      .filter(({ start, end }) => token >= start && token < end)
      .map(({ reward, value }) => [`Evidence of ${toVisible(reward)}`, formatNumber(value)] as const),
  ];
}

const between = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a - b;
