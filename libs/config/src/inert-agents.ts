/** @file Options of a run that is played by agent programs alone: what the built-in rollout would read has no effect. */
import type { CheckedEnvironment, InertOption } from './inert.js';

const ofBuiltIn = [
  'rollout.prompt',
  'rollout.maxActions',
  'rollout.maxActionsPerTurn',
  'rollout.stopSequences',
  'rollout.context',
  'rollout.format',
  'rollout.formatPenalty',
  'rollout.images',
  'rollout.environmentTimeoutMs',
  'filter.noiseSeeds',
];

/** Lists them, and where plugins run: the program has a process of its own. */
export function agentOptions(environments: readonly CheckedEnvironment[]): InertOption[] {
  const isPlayed = ({ environment: { plugin } }: CheckedEnvironment): boolean => plugin.agent !== undefined;
  const isolated = environments
    .filter((one) => isPlayed(one) && one.spec.environment.isolation !== undefined)
    .map(({ path }) => ({ path: `${path}.isolation`, reason: 'the program has a process of its own' }));
  if (environments.length === 0 || !environments.every(isPlayed)) return isolated;
  const reason = 'agent programs write their prompts and read their replies themselves';
  return [...isolated, ...ofBuiltIn.map((path) => ({ path, reason }))];
}
