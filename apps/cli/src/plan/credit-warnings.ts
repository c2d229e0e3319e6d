/** @file What a plan and a run warn of where an algorithm divides by the mean total of a group, which penalties turn around. */
import type { RunSpec } from '@espalier/contracts';
import { listTrained, type SingleSpec } from '@espalier/contracts/mixing';
import { paramsOf } from '@espalier/trainer';
import type { Registry } from '../workspace.js';

/** Rewards that take something off and never give. */
const penalties: readonly string[] = ['length', 'repetition'];

/** Lists where totals may be negative under `normalization: mean`, one sentence for each environment: finding, then remedy. */
export function listCreditWarnings(spec: RunSpec, registry: Registry): string[] {
  return listTrained(spec).flatMap(({ tag, spec: own }) => {
    if (own.algorithm['normalization'] !== 'mean') return [];
    const found = findPenalties(own, registry);
    if (found.length === 0) return [];
    const of = tag === undefined ? '' : ` of ${tag}`;
    return [
      `algorithm.normalization mean${of}: the run fails at the first group whose totals differ with a mean of 0 or below, and ${found.map(([finding]) => finding).join(' and ')}; ${found.map(([, remedy]) => remedy).join(', and ')}, or choose batch, group or none`,
    ];
  });
}

function findPenalties(
  { environment, rewards, rollout }: SingleSpec,
  registry: Registry,
): (readonly [finding: string, remedy: string])[] {
  const found: (readonly [string, string])[] = [];
  const counted = rewards.filter(({ weight }) => weight !== 0);
  if (rollout.formatPenalty < 0 && counted.some(({ use }) => use === 'format'))
    found.push([
      `the reward format takes off ${-rollout.formatPenalty} a turn`,
      'set rollout.formatPenalty: 0',
    ]);
  for (const { use, weight } of counted)
    if (weight < 0 || penalties.includes(use))
      found.push([`the reward ${use} takes something off`, `leave out the reward ${use}`]);
  const reads = registry.get('environment', environment.use).reads?.(paramsOf(environment));
  if (reads?.penalties === true && counted.some(({ use }) => use === 'environment-return'))
    found.push([
      `${environment.use} pays less than 0 for some actions`,
      `choose an environment that does not`,
    ]);
  return found;
}
