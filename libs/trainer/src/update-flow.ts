/**
 * @file Where the trajectories and sampled tokens of a step went: failed, dropped, masked, clipped or trained. Every one is
 * counted once, so that the parts add up to what was sampled; the same numbers follow from the stored trajectories.
 */
import { defineMetric, type Trajectory } from '@espalier/contracts';
import { type UpdateOutcome, updateOutcomes, type UpdateRecord } from '@espalier/contracts/update-record';
import type { FilledBatch } from './fill-batch.js';

defineMetric({
  name: 'flow/trajectories',
  unit: 'trajectories',
  formula:
    'training episodes of the step that were stored, failed ones included; the sum of all flow/trajectories/…',
});
defineMetric({
  name: 'flow/tokens',
  unit: 'tokens',
  formula: 'tokens sampled in them; the sum of all flow/tokens/…',
});
for (const [outcome, meaning] of Object.entries(updateOutcomes)) {
  const code = outcome.replaceAll('-', '_');
  defineMetric({
    name: `flow/trajectories/${code}`,
    unit: 'trajectories',
    formula: `trajectories of the step: ${meaning}; absent: none`,
  });
  if (outcome !== 'trained')
    defineMetric({
      name: `flow/tokens/${code}`,
      unit: 'tokens',
      formula: `tokens sampled in trajectories of the step: ${meaning}; absent: none`,
    });
}
for (const [name, formula] of [
  ['masked', 'tokens sampled in trained trajectories that the loss mask leaves out'],
  [
    'clipped',
    'loss tokens of trained trajectories that were clipped at the last optimizer pass, on any side, as far as is known',
  ],
  ['trained', 'loss tokens of trained trajectories that were not clipped at the last optimizer pass'],
] as const)
  defineMetric({ name: `flow/tokens/${name}`, unit: 'tokens', formula: `${formula}; absent: none` });
defineMetric({
  name: 'flow/dropped_trajectories/<reason>',
  unit: 'trajectories',
  formula: 'trajectories of groups that were dropped for this reason; absent: none',
});
defineMetric({
  name: 'flow/dropped_tokens/<reason>',
  unit: 'tokens',
  formula: 'tokens sampled in groups that were dropped for this reason; absent: none',
});

/** Counts where the trajectories and tokens of a step went. */
export function flowMetrics(
  { collection, choice }: FilledBatch,
  records: ReadonlyMap<Trajectory, UpdateRecord>,
): Record<string, number> {
  const counts: Record<string, number> = { 'flow/trajectories': 0, 'flow/tokens': 0 };
  const add = (name: string, amount: number): void => {
    if (amount > 0) counts[`flow/${name}`] = (counts[`flow/${name}`] ?? 0) + amount;
  };
  const reasons = new Map(
    collection.groups.flatMap(({ trajectories }, index) =>
      trajectories.map((one) => [one, choice.dropped[index]?.reason.replaceAll('-', '_')] as const),
    ),
  );
  for (const [trajectory, record] of records) {
    const sampled = countSampled(trajectory);
    const outcome = toCode(record.outcome);
    add('trajectories', 1);
    add('tokens', sampled);
    add(`trajectories/${outcome}`, 1);
    for (const [name, amount] of tokensOf(record, sampled)) add(`tokens/${name}`, amount);
    const reason = reasons.get(trajectory);
    if (record.outcome !== 'dropped' || reason === undefined) continue;
    add(`dropped_trajectories/${reason}`, 1);
    add(`dropped_tokens/${reason}`, sampled);
  }
  return counts;
}

function tokensOf(
  { outcome, lossTokens, clippedTokens = 0 }: UpdateRecord,
  sampled: number,
): (readonly [name: string, amount: number])[] {
  if (outcome !== 'trained') return [[toCode(outcome), sampled]];
  return [
    ['masked', sampled - lossTokens],
    ['clipped', clippedTokens],
    ['trained', lossTokens - clippedTokens],
  ];
}

const toCode = (outcome: UpdateOutcome): string => outcome.replaceAll('-', '_');

const countSampled = ({ turns }: Trajectory): number =>
  turns.reduce((sum, { sampled }) => sum + sampled.end - sampled.start, 0);
