/** @file Rewards that change nothing, and what only a reward that is not there would read. */
import type { RunSpec } from '@espalier/contracts';
import type { CheckedEnvironment, InertOption } from './inert.js';

type Reward = RunSpec['rewards'][number];

/** Lists rewards without weight or with nothing to read, and the format penalty that none adds. */
export function rewardOptions(spec: RunSpec, environments: readonly CheckedEnvironment[]): InertOption[] {
  const found: InertOption[] = spec.rewards.flatMap(({ weight, use }, index) =>
    weight === 0
      ? [{ path: `rewards.${index}`, reason: `weight 0: ${use} is recorded but not added to the total` }]
      : [],
  );
  const isPenalized = environments.some((one) =>
    one.spec.rewards.some(({ use, weight }) => use === 'format' && weight !== 0),
  );
  if (!isPenalized) {
    found.push({
      path: 'rollout.formatPenalty',
      reason: 'no `format` reward with a weight adds it to the total',
    });
  }
  return [...found, ...withoutEffect(spec, environments)];
}

/** What each of these makes of a turn without a think block: the same in every turn. */
const readReasoning: Readonly<Record<string, string>> = {
  length: 'every turn loses 1; `of: reply` counts all sampled tokens',
  repetition: 'every turn loses 1',
  faithfulness: 'it pays nothing',
  prediction: 'it pays nothing',
  'plan-consistency': 'it pays nothing',
};

/** Rewards that read the reasoning where the prompt leaves no room for any, and a limit that no turn reaches; agent programs prompt themselves. */
function withoutEffect(spec: RunSpec, environments: readonly CheckedEnvironment[]): InertOption[] {
  const played = environments.filter(({ environment: { plugin } }) => plugin.agent === undefined);
  if (played.length === 0) return [];
  const longest = Math.max(...played.map((one) => one.spec.rollout.maxResponseTokens));
  const lists: (readonly [path: string, list: readonly Reward[]])[] = [
    ['rewards', spec.rewards],
    ...Object.entries(spec.environments ?? {}).map(
      ([tag, own]) => [`environments.${tag}.rewards`, own.rewards ?? []] as const,
    ),
  ];
  return lists.flatMap(([path, list]) =>
    list.flatMap((reward, index) => {
      const reason =
        reward.weight === 0
          ? undefined
          : (findSilence(reward, spec) ?? (reward.use === 'length' ? findSlack(reward, longest) : undefined));
      return reason === undefined ? [] : [{ path: `${path}.${index}`, reason }];
    }),
  );
}

function findSilence({ use, ...options }: Reward, { rollout: { prompt } }: RunSpec): string | undefined {
  const effect = readReasoning[use];
  if (prompt.thinking !== 'none' || effect === undefined) return undefined;
  if (use === 'length' && options['of'] === 'reply') return undefined;
  return `rollout.prompt.thinking is none: no reasoning is sampled, so ${effect}`;
}

function findSlack(options: Readonly<Record<string, unknown>>, longest: number): string | undefined {
  const free = Number(options['limit']) - Number(options['buffer']);
  if (!(free >= longest)) return undefined; // NaN with a target
  return `it begins to take something after ${free} tokens, and rollout.maxResponseTokens ends a turn after ${longest}; lower \`limit\``;
}
