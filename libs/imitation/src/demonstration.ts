/** @file One environment of a warm start with everything resolved: options, limits, prompt format. */
import { AppError, type WarmStartSpec } from '@espalier/contracts';
import type { EnvironmentDefinition, EpisodeLimits } from '@espalier/plugin-kit';
import { type PromptOptions, promptOptionsOf } from '@espalier/rollout';
import { paramsOf, type PluginLookup } from '@espalier/trainer';

type DemonstrationSpec = WarmStartSpec['demonstrations'][number];

export interface Demonstration {
  /** unique within the spec: the environment's id, numbered from its second use */
  readonly name: string;
  readonly spec: DemonstrationSpec;
  readonly environment: EnvironmentDefinition<unknown>;
  readonly params: unknown;
  readonly limits: EpisodeLimits;
  readonly prompt: PromptOptions;
  /** share of all tokens, in 0..1 */
  readonly share: number;
}

/**
 * Resolves the demonstrations of a spec against the installed environments.
 *
 * @throws plugin.not_found; config.wrong_type when an environment refuses its options; config.impossible_budget when
 * it has no oracle to learn from
 */
export function resolveDemonstrations(spec: WarmStartSpec, plugins: PluginLookup): Demonstration[] {
  const shares = spec.demonstrations.reduce((sum, { share }) => sum + share, 0);
  const seen = new Map<string, number>();
  return spec.demonstrations.map((demonstration) => {
    const environment = plugins.get('environment', demonstration.environment.use);
    if (environment.agent !== undefined)
      throw new AppError(
        'config.impossible_budget',
        `demonstration "${environment.id}": a program plays its episodes, so there is no oracle to imitate; leave it out`,
      );
    const params = parseParams(environment, demonstration);
    const count = (seen.get(environment.id) ?? 0) + 1;
    seen.set(environment.id, count);
    const defaults = environment.limits(params);
    const limits: EpisodeLimits = {
      maxTurns: demonstration.rollout.maxTurns ?? defaults.maxTurns,
      maxActions: demonstration.rollout.maxActions ?? defaults.maxActions,
      maxActionsPerTurn: demonstration.rollout.maxActionsPerTurn ?? defaults.maxActionsPerTurn,
    };
    if (demonstration.noise < 1 && !environment.create(params).oracle) {
      throw new AppError(
        'config.impossible_budget',
        `demonstration "${environment.id}": it has no oracle to imitate; set noise to 1`,
      );
    }
    return {
      name: count === 1 ? environment.id : `${environment.id}-${count}`,
      spec: demonstration,
      environment,
      params,
      limits,
      prompt: promptOptionsOf(environment, params, { ...demonstration.rollout, ...limits }),
      share: demonstration.share / shares,
    };
  });
}

function parseParams(environment: EnvironmentDefinition<unknown>, demonstration: DemonstrationSpec): unknown {
  const result = environment.params.safeParse(paramsOf(demonstration.environment));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = ['demonstrations', environment.id, ...(issue?.path ?? [])].join('.');
  throw new AppError('config.wrong_type', `${path}: ${issue?.message ?? 'not an option'}`, {
    cause: result.error,
  });
}
