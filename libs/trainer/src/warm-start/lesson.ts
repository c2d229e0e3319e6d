/** @file One environment of a warm start with everything resolved: options, limits, protocol. */
import { AppError, type WarmStartSpec } from '@espalier/contracts';
import type { EnvironmentDefinition, EpisodeLimits } from '@espalier/plugin-kit';
import type { ProtocolOptions } from '@espalier/rollout';
import { paramsOf, type PluginLookup } from '../registry.js';

type LessonSpec = WarmStartSpec['lessons'][number];

export interface Lesson {
  /** unique within the plan: the environment's id, numbered when it is taught twice */
  readonly name: string;
  readonly spec: LessonSpec;
  readonly environment: EnvironmentDefinition<unknown>;
  readonly params: unknown;
  readonly limits: EpisodeLimits;
  readonly protocol: ProtocolOptions;
  /** share of all tokens, in 0..1 */
  readonly share: number;
}

/**
 * Resolves the lessons of a spec against the installed environments.
 *
 * @throws plugin.not_found; config.wrong_type when an environment refuses its options; config.impossible_budget when
 * it has no oracle to learn from
 */
export function resolveLessons(spec: WarmStartSpec, plugins: PluginLookup): Lesson[] {
  const shares = spec.lessons.reduce((sum, { share }) => sum + share, 0);
  const seen = new Map<string, number>();
  return spec.lessons.map((lesson) => {
    const environment = plugins.get('environment', lesson.environment.use);
    const params = parseParams(environment, lesson);
    const count = (seen.get(environment.id) ?? 0) + 1;
    seen.set(environment.id, count);
    const defaults = environment.limits(params);
    const limits: EpisodeLimits = {
      maxTurns: lesson.rollout.maxTurns ?? defaults.maxTurns,
      maxActions: lesson.rollout.maxActions ?? defaults.maxActions,
      maxActionsPerTurn: lesson.rollout.maxActionsPerTurn ?? defaults.maxActionsPerTurn,
    };
    if (lesson.noise < 1 && !environment.create(params).oracle) {
      throw new AppError(
        'config.impossible_budget',
        `lesson "${environment.id}": it has no oracle; only noise 1 can be taught`,
      );
    }
    return {
      name: count === 1 ? environment.id : `${environment.id}-${count}`,
      spec: lesson,
      environment,
      params,
      limits,
      protocol: {
        instruction: environment.instruction(params),
        limits,
        think: lesson.rollout.think,
        maxResponseTokens: lesson.rollout.maxResponseTokens,
      },
      share: lesson.share / shares,
    };
  });
}

function parseParams(environment: EnvironmentDefinition<unknown>, lesson: LessonSpec): unknown {
  const result = environment.params.safeParse(paramsOf(lesson.environment));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = ['lessons', environment.id, ...(issue?.path ?? [])].join('.');
  throw new AppError('config.wrong_type', `${path}: ${issue?.message ?? 'not an option'}`, {
    cause: result.error,
  });
}
