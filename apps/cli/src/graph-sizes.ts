/** @file Builds every graph that a run will use once and counts its nodes; nothing is run. */
import type { RunSpec } from '@espalier/contracts';
import {
  buildDecodeGraph,
  buildPrefillGraph,
  buildScoreGraph,
  buildTrainingGraph,
  type LlamaConfig,
  type LossGraph,
} from '@espalier/model';
import type { Registry } from './workspace.js';

export interface GraphSize {
  readonly name: string;
  readonly nodes: number;
}

/** @param length tokens of a sequence in training and scoring */
export function graphSizes(
  spec: RunSpec,
  config: LlamaConfig,
  registry: Registry,
  length: number,
): GraphSize[] {
  const { use, ...params } = spec.algorithm;
  const algorithm = registry.get('algorithm', use);
  const { critic, reference } = algorithm.needs(params);
  const { topP, topK, maxTurns } = spec.rollout;
  const sampling = { config, isFiltered: topP < 1 || topK > 0 };
  const whole = { config, length, rows: length };
  const policy = { ...whole, role: 'policy' } as const;
  const value = { ...whole, role: 'critic' } as const;
  const losses = { policy: algorithm.policyLoss(params), critic: algorithm.valueLoss?.(params) };
  const train = (options: typeof policy | typeof value): number => {
    const loss = losses[options.role];
    const build = loss?.build as (input: unknown) => ReturnType<LossGraph>;
    const adapted: LossGraph = (input) => build({ ...input, params: loss?.params });
    return buildTrainingGraph(options, adapted, loss?.columns ?? []).nodes.length;
  };
  const sizes: [name: string, isUsed: boolean, count: () => number][] = [
    ['prefill', true, () => buildPrefillGraph({ ...sampling, hasPast: false }).nodes.length],
    [
      'prefill of later turns',
      maxTurns > 1,
      () => buildPrefillGraph({ ...sampling, hasPast: true }).nodes.length,
    ],
    ['decode', true, () => buildDecodeGraph(sampling).nodes.length],
    ['policy training', true, () => train(policy)],
    ['reference scoring', reference, () => buildScoreGraph(policy).nodes.length],
    ['critic training', critic && losses.critic !== undefined, () => train(value)],
    ['critic scoring', critic, () => buildScoreGraph(value).nodes.length],
  ];
  return sizes.flatMap(([name, isUsed, count]) => (isUsed ? [{ name, nodes: count() }] : []));
}
