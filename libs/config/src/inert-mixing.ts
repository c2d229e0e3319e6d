/** @file Options of a run in several environments that have no effect. */
import type { RunSpec } from '@espalier/contracts';
import type { InertOption } from './inert.js';

const limitKeys = ['maxTurns', 'maxActions', 'maxActionsPerTurn', 'maxResponseTokens'] as const;

/** Lists what each tag sets for itself, shares of a single tag, and empty sections of validation. */
export function mixingOptions(spec: RunSpec): InertOption[] {
  const empty = Object.entries(spec.validation.environments ?? {})
    .filter(([, own]) => Object.values(own).every((value) => value === undefined))
    .map(([tag]) => ({
      path: `validation.environments.${tag}`,
      reason: 'a trained tag is validated in any case; set what differs from its training, or remove it',
    }));
  if (spec.environments === undefined) return empty;
  const tags = Object.entries(spec.environments);
  const [only] = tags;
  const shares =
    tags.length === 1 && only !== undefined
      ? [
          { path: `environments.${only[0]}.weight`, reason: 'there is only one tag, which has all groups' },
          { path: 'mixing.compare', reason: 'there is only one tag, so nothing is compared across tags' },
        ]
      : [];
  return [...empty, ...shares, ...ownLimits(spec), ...ownRewards(spec), ...ownAlgorithms(spec)];
}

/** Where no tag leaves a limit to the run, the run holds the largest for information. */
function ownLimits({ environments = {}, validation, rollout }: RunSpec): InertOption[] {
  const sections = [
    ...Object.values(environments),
    ...Object.values(validation.environments ?? {}).filter(({ environment }) => environment !== undefined),
  ];
  return limitKeys.flatMap((key) => {
    const own = sections.flatMap((section) => section[key] ?? []);
    if (own.length < sections.length) return [];
    if (rollout[key] === Math.max(...Object.values(environments).flatMap((section) => section[key] ?? [])))
      return [];
    return [{ path: `rollout.${key}`, reason: 'every tag has its own' }];
  });
}

function ownRewards({ environments = {}, validation }: RunSpec): InertOption[] {
  const others = Object.values(validation.environments ?? {}).filter(
    ({ environment }) => environment !== undefined,
  );
  const isUsed = [...Object.values(environments), ...others].some(({ rewards }) => rewards === undefined);
  return isUsed ? [] : [{ path: 'rewards', reason: 'every tag has its own' }];
}

const ownAlgorithms = ({ environments = {} }: RunSpec): InertOption[] =>
  Object.values(environments).some(({ algorithm }) => algorithm === undefined)
    ? []
    : [{ path: 'algorithm', reason: 'every tag has its own' }];
