/**
 * @file Which states of two runs are the same: a seed names a state of one environment, so states count as common only if
 * plugin, version and options of their environments are equal.
 */
import type { RunSpec } from '@espalier/contracts';
import { identifyEnvironment, listValidated } from '@espalier/contracts/mixing';
import type { StateOutcome } from './paired-states.js';

/** What tells in which environments a run has validated. */
export interface ValidatedIn {
  readonly spec: object;
  /** null: not known */
  readonly plugins:
    | readonly { readonly kind: string; readonly id: string; readonly version: string }[]
    | null;
}

/** Writes to each outcome the environment that its seed is of. */
export function markStates(
  { spec, plugins }: ValidatedIn,
  outcomes: readonly StateOutcome[],
): readonly StateOutcome[] {
  const environments = new Map(
    listValidated(spec as RunSpec).map(({ tag, spec: { environment } }) => {
      const { use } = environment;
      const plugin = plugins?.find(({ kind, id }) => kind === 'environment' && id === use);
      return [tag, `${use} ${plugin?.version ?? ''}`.trim() + `\n${identifyEnvironment(environment)}`];
    }),
  );
  return outcomes.map((outcome) => ({ ...outcome, environment: environments.get(outcome.tag) }));
}

type Group = readonly (readonly StateOutcome[])[];

/** Why two groups have no two states in common. */
export function explainUncommon(first: Group, second: Group): string {
  const [ours, theirs] = [first, second].map(
    (runs) => new Set(runs.flatMap((outcomes) => outcomes.map(({ environment = '' }) => environment))),
  ) as [Set<string>, Set<string>];
  if (ours.size === 0 || theirs.size === 0 || [...ours].some((one) => theirs.has(one)))
    return 'fewer than two states in common';
  const [names, others] = [ours, theirs].map((all) =>
    [...new Set([...all].map((one) => one.split('\n')[0]))].sort().join(', '),
  );
  return names === others
    ? `no common states: the environments differ (options of ${names})`
    : `no common states: the environments differ (${names} and ${others})`;
}
