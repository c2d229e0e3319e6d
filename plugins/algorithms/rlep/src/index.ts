import { defineAlgorithm, type HeldGroup, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';
import { deviationsOf, drawByRank } from './priority.js';

const params = z.strictObject({
  priorityExponent: z
    .number()
    .min(0)
    .max(10)
    .default(0.7)
    .describe(
      'how much likelier groups whose totals differ more are drawn: the one at rank r has a weight of r to the power of minus this; 0 = all alike',
    ),
  ...options.normalization('batch'),
  ...options.clipBounds(),
  ...options.dualClip(),
  ...options.entropyBonus(),
  ...options.klPenalty(),
});

/** Indices of the groups that teach what success is: one trajectory succeeded, and not all earned the same. */
function listWorthwhile(groups: readonly HeldGroup[]): number[] {
  const deviations = deviationsOf(groups);
  return groups.flatMap(({ successes }, index) =>
    successes.includes(true) && (deviations[index] ?? 0) > 0 ? [index] : [],
  );
}

export default defineAlgorithm({
  id: 'rlep',
  summary: 'GRPO that learns again from earlier groups with a success, those that differ most first.',
  source:
    'Zhang et al. 2025, arXiv:2507.07451 (RLEP); priority by rank: Schaul et al. 2016, arXiv:1511.05952, sec. 3.3, eq. 1',
  params,
  needs: (chosen) => ({ ...options.needsReference(chosen), replay: true }),
  inert: options.findInert,
  minGroupSize: () => 2,
  ...options.adaptive,
  keptShare: () => 1,
  select: options.keepComparable,
  holdReplay: (groups, _params, { limit }) => listWorthwhile(groups).slice(-limit),
  drawReplay: (held, { priorityExponent }, { limit, stream }) => {
    const worthwhile = listWorthwhile(held);
    const deviations = deviationsOf(held);
    const scores = worthwhile.map((index) => deviations[index] ?? 0);
    return drawByRank(scores, priorityExponent, limit, stream).map((place) => worthwhile[place] ?? -1);
  },
  advantages: (trajectories, { normalization }) => objective.estimateGroupCredit(trajectories, normalization),
  policyLoss: (chosen) => objective.clippedPolicyLoss('rlep', chosen, chosen),
});
