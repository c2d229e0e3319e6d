/**
 * @file Self-distillation from a successful sibling. The teacher is the policy itself, before it learns, with a successful
 * trajectory of the same group in front of the failed one that it judges:
 * L = L_policy + λ · mean over distilled tokens of g_t · KL(π(·) ‖ teacher(·)), g_t = σ(β · Δ_t), Δ_t = log teacher(y_t) − log π(y_t).
 *
 * The tokens were drawn from π, so −Δ_t · ∇ log π(y_t) estimates the gradient of the divergence without bias; with g_t held
 * constant each token is a cross-entropy of weight λ · g_t · Δ_t / n, negative where the teacher finds it less likely. Tokens
 * that an older policy μ drew weigh π(y_t) / μ(y_t) as well, truncated.
 *
 * @see SDPO, arXiv:2601.20802, with one sampled token for the divergence; the gate: SDAR, arXiv:2605.15155
 */
import {
  type Datum,
  defineMetric,
  type ScoringModel,
  type TokenScores,
  type TrainableModel,
  type Trajectory,
} from '@espalier/contracts';
import { correctSampling, nllLoss } from '@espalier/objective';
import { pick, type TrainingExample } from './batch.js';

const GAP = defineMetric({
  name: 'policy/distillation_gap',
  unit: 'nats',
  formula:
    'mean over distilled tokens of log-probability after a successful sibling − log-probability without it, both before the update; its negative estimates KL(policy ‖ teacher) where no token is of an older policy; with update.selfDistillation',
});
const GATE = defineMetric({
  name: 'policy/distillation_gate',
  unit: 'probability',
  formula: 'mean over distilled tokens of the gate; with update.selfDistillation',
});
const SHARE = defineMetric({
  name: 'policy/distillation_share',
  unit: 'probability',
  formula:
    'trajectories that have a teacher / trajectories that are learned from; with update.selfDistillation',
});
const TOO_LONG = defineMetric({
  name: 'policy/distillation_too_long',
  unit: 'trajectories',
  formula:
    'failed trajectories that do not fit the context of the model behind their shortest successful sibling; with update.selfDistillation',
});

/** What the teacher says of the loss tokens of a trajectory. */
export interface Distilled {
  /** gate · gap of each loss token, nats; that of an older policy times its weight */
  readonly pulls: Float32Array; // [n]
}

export interface DistillationParts {
  readonly policy: Pick<ScoringModel, 'score'>;
  readonly contextLength: number;
  /** of the rollout */
  readonly temperature: number;
  /** slope of the gate; null: none */
  readonly gate: number | null;
}

export interface Teaching {
  readonly distilled: ReadonlyMap<Trajectory, Distilled>;
  readonly metrics: Readonly<Record<string, number>>;
}

/** A failed trajectory and what its teacher has seen before it. */
interface Lesson {
  readonly example: TrainingExample;
  readonly shown: Trajectory;
  /** an older policy sampled it, and what the policy itself makes of it is not known yet */
  readonly isUnscored: boolean;
}

/** Of tokens that an older policy drew: as `update.samplerCorrection` truncates by default. */
const OLDER_POLICY = { use: 'truncated', maxRatio: 2, minRatio: 0 } as const;

/**
 * Asks the policy, before it learns, about the loss tokens of failed trajectories behind a successful sibling.
 *
 * @param groups trajectories of each group that is learned from
 * @param examples those with loss tokens; those of an older policy (`lag`) are scored without the sibling, too
 */
export async function askTeachers(
  groups: readonly (readonly Trajectory[])[],
  examples: readonly TrainingExample[],
  parts: DistillationParts,
): Promise<Teaching> {
  const { lessons, tooLong } = planLessons(groups, examples, parts.contextLength);
  const { temperature } = parts;
  const unscored = lessons.filter(({ isUnscored }) => isUnscored);
  const scores = await parts.policy.score([
    ...lessons.map((lesson) => ({ ...behindSibling(lesson), temperature })),
    ...unscored.map(({ example: { trajectory, positions } }) => ({
      tokens: trajectory.tokens,
      positions,
      temperature,
    })),
  ]);
  const logprobsAt = (index: number): Float32Array => (scores[index] as TokenScores).logprobs;
  const ownOf = new Map(unscored.map((lesson, place) => [lesson, logprobsAt(lessons.length + place)]));
  const distilled = new Map<Trajectory, Distilled>();
  const sums = { gap: 0, gate: 0, tokens: 0 };
  lessons.forEach((lesson, index) => {
    const { example } = lesson;
    const taught = logprobsAt(index);
    const logprobs = ownOf.get(lesson) ?? example.columns['oldLogprobs'] ?? new Float32Array();
    const weights = weighOlder(example, logprobs);
    const pulls = logprobs.map((own, n) => {
      const gap = (taught[n] ?? own) - own;
      const gate = gateOf(gap, parts.gate);
      sums.gap += gap;
      sums.gate += gate;
      sums.tokens += 1;
      return gate * gap * (weights?.[n] ?? 1);
    });
    distilled.set(example.trajectory, { pulls });
  });
  const means =
    sums.tokens === 0 ? {} : { [GAP.name]: sums.gap / sums.tokens, [GATE.name]: sums.gate / sums.tokens };
  const share = examples.length === 0 ? 0 : lessons.length / examples.length;
  return { distilled, metrics: { ...means, [SHARE.name]: share, [TOO_LONG.name]: tooLong } };
}

/** The episode as it goes on after the sibling, and its loss tokens there. */
function behindSibling({ example: { trajectory, positions }, shown }: Lesson) {
  const tokens = new Int32Array(shown.tokens.length + trajectory.tokens.length);
  tokens.set(shown.tokens);
  tokens.set(trajectory.tokens, shown.tokens.length);
  return { tokens, positions: positions.map((t) => t + shown.tokens.length) };
}

/** Weighs tokens that an older policy drew; undefined: they are the policy's own. */
function weighOlder(
  { trajectory, positions, lag = 0 }: TrainingExample,
  logprobs: Float32Array,
): Float32Array | undefined {
  if (lag === 0) return undefined;
  return correctSampling({ logprobs, sampled: pick(trajectory.logprobs, positions) }, OLDER_POLICY).weights;
}

/** σ(β · gap), without overflow at either end. */
export function gateOf(gap: number, slope: number | null): number {
  return slope === null ? 1 : 1 / (1 + Math.exp(-slope * gap));
}

/** Finds the shortest successful sibling of every failed trajectory: what leaves most room in the context. */
function planLessons(
  groups: readonly (readonly Trajectory[])[],
  examples: readonly TrainingExample[],
  contextLength: number,
): { readonly lessons: Lesson[]; readonly tooLong: number } {
  const shownTo = new Map<Trajectory, Trajectory>();
  for (const group of groups) {
    const whole = group.filter(isWhole);
    const successes = whole.filter(({ success }) => success);
    const [shortest] = successes.toSorted((a, b) => a.tokens.length - b.tokens.length);
    if (shortest === undefined) continue;
    for (const one of whole) if (!one.success) shownTo.set(one, shortest);
  }
  const lessons = examples.flatMap((example) => {
    const shown = shownTo.get(example.trajectory);
    // a correction of the sampler has scored it already
    const isUnscored = (example.lag ?? 0) > 0 && example.columns['samplerWeights'] === undefined;
    return shown === undefined ? [] : [{ example, shown, isUnscored }];
  });
  const fits = ({ example, shown }: Lesson): boolean =>
    shown.tokens.length + example.trajectory.tokens.length <= contextLength;
  const fitting = lessons.filter(fits);
  return { lessons: fitting, tooLong: lessons.length - fitting.length };
}

/** One sequence of tokens; an episode in windows is several, none of which holds all of it. */
const isWhole = ({ windows = [] }: Trajectory): boolean => windows.length <= 1;

/** Builds the data of the loss: each distilled token of the mini-batch has the weight coefficient · pull / count. */
export function buildDistillationBatch(
  examples: readonly TrainingExample[],
  { distilled }: Pick<Teaching, 'distilled'>,
  { coefficient, temperature }: { readonly coefficient: number; readonly temperature: number },
): Datum[] {
  const taught = examples.flatMap(({ trajectory, positions }) => {
    const pulls = distilled.get(trajectory)?.pulls;
    return pulls === undefined ? [] : [{ tokens: trajectory.tokens, positions, pulls }];
  });
  const count = taught.reduce((sum, { positions }) => sum + positions.length, 0);
  return taught.map(({ tokens, positions, pulls }) => ({
    tokens,
    positions,
    weights: pulls.map((pull) => (coefficient * pull) / count),
    columns: {},
    temperature,
  }));
}

/** Adds the gradient of the loss to those that the model has gathered. */
export async function learnFromSiblings(
  model: Pick<TrainableModel, 'forwardBackward'>,
  examples: readonly TrainingExample[],
  teaching: Pick<Teaching, 'distilled'>,
  options: { readonly coefficient: number; readonly temperature: number },
): Promise<void> {
  const batch = buildDistillationBatch(examples, teaching, options);
  if (batch.length > 0) await model.forwardBackward(batch, nllLoss);
}
