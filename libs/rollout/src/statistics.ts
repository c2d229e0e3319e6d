/**
 * @file Metrics of a collection, under `rollout/` for training and `validation/` for fixed states. Failed rollouts count
 * in `failed_share` only.
 */
import { defineMetric, stopReasons, type Span, type Trajectory, type Turn } from '@espalier/contracts';
import { failureLabels } from '@espalier/contracts/failure-labels';
import { estimateGroupSuccess } from './estimates/group-success.js';
import { type Collection, meanByName } from './group-rollout.js';

type Area = 'rollout' | 'validation';

const perTurnText = 'mean over turns';
const definitions: Readonly<Record<string, readonly [unit: string, formula: string]>> = {
  success_rate: [
    'probability',
    'mean over groups of trajectories that ended with success / trajectories of the group; with groups of one size, that of all trajectories',
  ],
  success_low: [
    'probability',
    'lower end of the 95 % Wilson interval of rollout/success_rate, for G² / Σ (1 / size) trajectories over the G groups, which is all of them with groups of one size, as if trajectories were independent; those of one prompt are alike, so it is rather too narrow',
  ],
  success_high: ['probability', 'upper end of that interval'],
  group_success_rate: ['probability', 'groups with at least one success / groups'],
  reward_mean: ['1', 'mean total score'],
  reward_std: [
    '1',
    'mean over groups of 2 or more of the standard deviation (n - 1) of the totals inside the group',
  ],
  reward_low: [
    '1',
    'rollout/reward_mean - 1.96 standard errors over the G groups: s / √G with groups of one size and s the standard deviation (n - 1) of their means, else √(G / (G - 1) · Σ (size · (mean of the group - reward_mean))²) / trajectories; absent with one group',
  ],
  reward_high: ['1', 'rollout/reward_mean + 1.96 of these standard errors'],
  environment_return: ['1', 'mean over trajectories of the sum of environment rewards'],
  format_penalty: ['1', 'mean over trajectories of the sum over turns of the format penalty; 0 or less'],
  reasoning_length: ['tokens', `think tokens; ${perTurnText}`],
  response_length: ['tokens', `sampled tokens; ${perTurnText}`],
  cut_response_share: ['probability', 'turns whose sampling ended by length or context / turns'],
  turns: ['turns', 'mean turns per trajectory'],
  prompt_length: ['tokens', 'tokens before a reply in its window; mean over turns'],
  prompt_turns: ['turns', 'turns in a prompt, the one to reply to included; mean over turns'],
  truncated_turn_share: ['probability', 'turns whose prompt left out earlier ones (rollout.context) / turns'],
  actions: ['actions', 'mean actions that reached the environment per trajectory'],
  valid_action_share: ['probability', 'legal actions / actions that reached the environment'],
  effective_action_share: [
    'probability',
    'actions that changed the state / actions that reached the environment',
  ],
  idle_turn_share: ['probability', 'turns in which no action reached the environment / turns'],
  format_valid_share: [
    'probability',
    'turns whose reply has the required format (rollout.format), with known actions or not / turns; reward/format/invalid_turns counts unknown actions too',
  ],
  distinct_thought_share: ['probability', 'distinct think texts / turns with a think text'],
  entropy: ['nats', 'mean entropy of the sampling distributions over sampled tokens'],
  tokens: [
    'tokens',
    'tokens of all trajectories, in training greedy baselines too; those of repeated turns count again',
  ],
  sampled_tokens: ['tokens', 'sampled tokens of all trajectories, in training greedy baselines too'],
  environment_steps: [
    'steps',
    'actions that reached the environment in all trajectories, in training greedy baselines too',
  ],
  greedy_reward_mean: [
    '1',
    'mean total score of the greedy baselines; only with an algorithm that compares with them, and counted in no other mean',
  ],
  greedy_success_rate: ['probability', 'greedy baselines that ended with success / greedy baselines'],
  failed_share: ['probability', 'failed rollouts / rollouts, retries included'],
};

/** Undefined for groups of one, as in validation, or defined there in another way (libs/trainer). */
const ofGroups = new Set([
  'success_rate',
  'reward_std',
  'group_success_rate',
  'success_low',
  'success_high',
  'reward_low',
  'reward_high',
  'greedy_reward_mean',
  'greedy_success_rate',
]);

defineMetric({
  name: 'validation/success_rate',
  unit: 'probability',
  formula: 'trajectories that ended with success / trajectories',
});
for (const area of ['rollout', 'validation'] as const) {
  for (const [name, [unit, formula]] of Object.entries(definitions)) {
    if (area === 'rollout' || !ofGroups.has(name)) defineMetric({ name: `${area}/${name}`, unit, formula });
  }
  for (const [reason, meaning] of Object.entries(stopReasons)) {
    defineMetric({
      name: `${area}/stop_${reason}`,
      unit: 'probability',
      formula: `share of trajectories: ${meaning}`,
    });
  }
  for (const [label, meaning] of Object.entries(failureLabels)) {
    defineMetric({
      name: `${area}/label_${metricWord(label)}`,
      unit: 'probability',
      formula: `share of trajectories: ${meaning} (docs/learn/failure-labels.md)`,
    });
  }
}

function metricWord(label: string): string {
  return label.replaceAll('-', '_');
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => share(sum(values), values.length);

/** Standard deviation with divisor n - 1; 0 for fewer than two values. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const center = mean(values);
  return Math.sqrt(sum(values.map((value) => (value - center) ** 2)) / (values.length - 1));
}

const spanLength = (spans: readonly Span[], kind: Span['kind']): number =>
  sum(spans.filter((span) => span.kind === kind).map((span) => span.end - span.start));

function turnNumbers(turns: readonly Turn[]): Record<string, number> {
  const actions = turns.flatMap((turn) => turn.actions);
  const thoughts = turns.map((turn) => turn.think).filter((think) => think !== '');
  return {
    response_length: mean(turns.map((turn) => turn.sampled.end - turn.sampled.start)),
    cut_response_share: share(turns.filter((turn) => turn.sampleStop !== 'stop').length, turns.length),
    valid_action_share: share(actions.filter((action) => action.valid).length, actions.length),
    effective_action_share: share(actions.filter((action) => action.effective).length, actions.length),
    idle_turn_share: share(turns.filter((turn) => turn.actions.length === 0).length, turns.length),
    format_valid_share: share(turns.filter((turn) => turn.formatValid).length, turns.length),
    distinct_thought_share: share(new Set(thoughts).size, thoughts.length),
    sampled_tokens: sum(turns.map((turn) => turn.sampled.end - turn.sampled.start)),
    environment_steps: actions.length,
  };
}

function trajectoryNumbers(
  trajectories: readonly Trajectory[],
  turns: readonly Turn[],
): Record<string, number> {
  const count = trajectories.length;
  const entropies = trajectories.map(({ entropies: values, turns: own }) =>
    sum(own.map(({ sampled }) => sum([...values.subarray(sampled.start, sampled.end)]))),
  );
  const sampled = sum(turns.map((turn) => turn.sampled.end - turn.sampled.start));
  return {
    reward_mean: mean(trajectories.map((one) => one.score.total)),
    environment_return: mean(trajectories.map((one) => one.score.environment)),
    format_penalty: mean(trajectories.map((one) => one.score.formatPenalty)),
    reasoning_length: share(sum(trajectories.map((one) => spanLength(one.spans, 'think'))), turns.length),
    turns: share(turns.length, count),
    ...promptNumbers(trajectories),
    actions: share(turns.flatMap((turn) => turn.actions).length, count),
    entropy: share(sum(entropies), sampled),
    tokens: sum(trajectories.map((one) => one.tokens.length)),
  };
}

/** How much the prompts held. */
function promptNumbers(trajectories: readonly Trajectory[]): Record<string, number> {
  const prompts = trajectories.flatMap(({ turns, windows = [] }) =>
    turns.map(({ index, sampled }) => {
      const window = windows.findLast(({ start }) => start < sampled.start);
      const { start, firstTurn } = window ?? { start: 0, firstTurn: 0 };
      return { length: sampled.start - start, turns: index + 1 - firstTurn, isTruncated: firstTurn > 0 };
    }),
  );
  return {
    prompt_length: mean(prompts.map(({ length }) => length)),
    prompt_turns: mean(prompts.map((prompt) => prompt.turns)),
    truncated_turn_share: share(prompts.filter(({ isTruncated }) => isTruncated).length, prompts.length),
  };
}

/**
 * Computes the metrics of a collection: `<area>/<name>`, `<area>/stop_<reason>`, the rewards' own
 * (`reward/<id>`, `reward/<id>/<name>`) and the environment's (`environment/<name>`, mean over actions).
 * In validation, the latter two are under `validation/`.
 */
export function rolloutMetrics(collection: Collection, area: Area = 'rollout'): Record<string, number> {
  const { groups, failed, rollouts } = collection;
  const trajectories = groups.flatMap((group) => group.trajectories);
  const turns = trajectories.flatMap((one) => one.turns);
  const values: Record<string, number> = {
    ...(area === 'rollout'
      ? groupSuccess(groups)
      : { success_rate: share(countSuccesses(trajectories), trajectories.length) }),
    ...trajectoryNumbers(trajectories, turns),
    ...turnNumbers(turns),
    ...baselineNumbers(groups),
    ...(area === 'rollout' ? { ...groupNumbers(groups), ...rewardInterval(groups) } : {}),
    failed_share: share(failed.length, rollouts),
  };
  for (const reason of Object.keys(stopReasons)) {
    values[`stop_${reason}`] = share(
      trajectories.filter((one) => one.stopReason === reason).length,
      trajectories.length,
    );
  }
  for (const label of Object.keys(failureLabels)) {
    const labelled = trajectories.filter(({ labels }) => labels.some(({ name }) => name === label));
    values[`label_${metricWord(label)}`] = share(labelled.length, trajectories.length);
  }
  // numbers of different environments have no mean in common
  const played = collection.tags === undefined ? turns : [];
  const environment = meanByName(played.flatMap((turn) => turn.actions.map((action) => action.metrics)));
  const outside = area === 'validation' ? 'validation/' : '';
  return {
    ...prefixed(`${area}/`, values),
    ...prefixed(outside, collection.rewardMetrics),
    ...prefixed(`${outside}environment/`, environment),
    ...tagMetrics(collection.tags ?? new Map(), area),
  };
}

defineMetric({
  name: 'tag/<tag>/<metric>',
  unit: 'of the metric',
  formula:
    'a metric of rollouts, validation, rewards, environment, selection, credit, curriculum or horizon over the trajectories of one tag, in a run with `environments`; reported only in steps in which the tag has any',
});

/** The metrics of each tag: what was measured, and nothing of a tag without trajectories. */
function tagMetrics(tags: ReadonlyMap<string, Collection>, area: Area): Record<string, number> {
  return Object.assign(
    {},
    ...[...tags].map(([tag, own]) => {
      const isMeasured = own.groups.length > 0;
      const failed = own.rollouts === 0 ? {} : { [`${area}/failed_share`]: own.failed.length / own.rollouts };
      return prefixed(`tag/${tag}/`, isMeasured ? rolloutMetrics(own, area) : failed);
    }),
  ) as Record<string, number>;
}

const countSuccesses = (trajectories: readonly Trajectory[]): number =>
  trajectories.filter(({ success }) => success).length;

/** Success with its interval; groups of which more was played, as their outcome was uncertain, count no more than others. */
function groupSuccess(groups: Collection['groups']): Record<string, number> {
  const { rate, low, high } = estimateGroupSuccess(
    groups.map(({ trajectories }) => [countSuccesses(trajectories), trajectories.length]),
  );
  return { success_rate: rate, success_low: low, success_high: high };
}

function groupNumbers(groups: Collection['groups']): Record<string, number> {
  const wide = groups.filter((group) => group.trajectories.length > 1);
  const solved = groups.filter((group) => group.trajectories.some((one) => one.success));
  return {
    group_success_rate: share(solved.length, groups.length),
    reward_std: mean(
      wide.map((group) => standardDeviation(group.trajectories.map((one) => one.score.total))),
    ),
  };
}

/** What the greedy baselines earned, and with theirs the numbers of everything that was played. */
function baselineNumbers(groups: Collection['groups']): Record<string, number> {
  const baselines = groups.flatMap(({ greedyBaseline = [] }) => greedyBaseline);
  if (baselines.length === 0) return {};
  const played = [...groups.flatMap(({ trajectories }) => trajectories), ...baselines];
  const { sampled_tokens, environment_steps } = turnNumbers(played.flatMap(({ turns }) => turns));
  return {
    sampled_tokens: sampled_tokens ?? 0,
    environment_steps: environment_steps ?? 0,
    tokens: sum(played.map((one) => one.tokens.length)),
    greedy_reward_mean: mean(baselines.map((one) => one.score.total)),
    greedy_success_rate: share(countSuccesses(baselines), baselines.length),
  };
}

/** The 95 % interval of reward, over groups. */
function rewardInterval(groups: Collection['groups']): Record<string, number> {
  const trajectories = groups.flatMap((group) => group.trajectories);
  const count = groups.length;
  if (count < 2) return {};
  const reward = mean(trajectories.map((one) => one.score.total));
  // of each group: how far its sum is from what it would be at the mean
  const residuals = groups.map((group) => sum(group.trajectories.map((one) => one.score.total - reward)));
  const squares = sum(residuals.map((residual) => residual ** 2));
  const error = Math.sqrt((count / (count - 1)) * squares) / trajectories.length;
  return { reward_low: reward - 1.96 * error, reward_high: reward + 1.96 * error };
}

function prefixed(prefix: string, values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
}
