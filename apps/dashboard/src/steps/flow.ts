/** @file Where the trajectories and sampled tokens of some steps went, stage by stage. Pure functions. */
import type { TrajectoryRow } from '@espalier/client';
import { toVisible } from '../format/visible-text.js';

/** What a stage took away, or at the end what is left. */
export interface Stage {
  readonly id: string;
  readonly label: string;
  /** what it means, in a sentence */
  readonly meaning: string;
  /** undefined: the stage divides tokens, not trajectories */
  readonly trajectories: number | undefined;
  readonly tokens: number;
  /** search parameters of the list of trajectories behind it */
  readonly search: Readonly<Record<string, string>>;
}

export interface Flow {
  readonly trajectories: number;
  readonly tokens: number;
  /** in the order in which they take away; the last is what trained */
  readonly stages: readonly Stage[];
}

/** Sums of `flow/…` over steps, by name without `flow/`. */
export type FlowSums = ReadonlyMap<string, number>;

const wholes: readonly (readonly [outcome: string, label: string, meaning: string])[] = [
  ['failed', 'failed', 'The environment, a reward or the engine failed during the episode.'],
  ['dropped', 'dropped', 'Their group was dropped before the update.'],
  [
    'no-loss-tokens',
    'no loss tokens',
    'Their group was kept, but the loss mask covers none of their tokens.',
  ],
  ['no-signal', 'no signal', 'Their group was kept, but nothing gave a gradient, so the update was skipped.'],
  [
    'greedy-baseline',
    'greedy baselines',
    'What the other trajectories of their group are compared with; never learned from.',
  ],
  ['critic-only', 'critic only', 'Their group was kept, but only the critic learned (update.criticWarmup).'],
];

/** The stages of a flow; those that took nothing away are left out. Undefined: these steps have no such counts. */
export function readFlow(sums: FlowSums): Flow | undefined {
  const trajectories = sums.get('trajectories');
  const tokens = sums.get('tokens');
  if (trajectories === undefined || tokens === undefined) return undefined;
  const of = (name: string): number => sums.get(name) ?? 0;
  const stages = wholes.flatMap(([outcome, label, meaning]): readonly Stage[] => {
    const code = outcome.replaceAll('-', '_');
    const search = { split: 'train', outcome };
    const whole = {
      id: outcome,
      label,
      meaning,
      trajectories: of(`trajectories/${code}`),
      tokens: of(`tokens/${code}`),
      search,
    };
    return outcome === 'dropped' ? byReason(sums, whole) : [whole];
  });
  const inTrained = { split: 'train', outcome: 'trained', view: 'tokens' };
  const parts: readonly Stage[] = [
    {
      id: 'masked',
      label: 'outside the loss mask',
      meaning: 'Tokens of trained trajectories that the loss mask leaves out.',
      trajectories: undefined,
      tokens: of('tokens/masked'),
      search: { ...inTrained, masked: 'yes' },
    },
    {
      id: 'clipped',
      label: 'clipped',
      meaning:
        'Loss tokens that were clipped at the last optimizer pass, on any side: their gradient stopped or was bounded.',
      trajectories: undefined,
      tokens: of('tokens/clipped'),
      search: { ...inTrained, clipped: 'yes', by: 'ratio' },
    },
    {
      id: 'trained',
      label: 'trained, not clipped',
      meaning:
        'Loss tokens that moved the weights at the last optimizer pass. Their trajectories are those with a part in the update.',
      trajectories: of('trajectories/trained'),
      tokens: of('tokens/trained'),
      search: { ...inTrained, by: 'gradient' },
    },
  ];
  const isThere = ({ id, trajectories: lost = 0, tokens: gone }: Stage): boolean =>
    id === 'trained' || lost > 0 || gone > 0;
  return { trajectories, tokens, stages: [...stages, ...parts].filter(isThere) };
}

/** Splits what was dropped by reason, the largest first; without reasons it stays whole. */
function byReason(sums: FlowSums, whole: Stage): readonly Stage[] {
  const start = 'dropped_trajectories/';
  const reasons = [...sums.keys()]
    .filter((name) => name.startsWith(start))
    .map((name) => name.slice(start.length));
  const stages = reasons
    .map((code): Stage => {
      const reason = code.replaceAll('_', '-');
      return {
        id: `dropped/${reason}`,
        label: `dropped: ${toVisible(reason.replaceAll('-', ' '))}`,
        meaning: `Their group was dropped before the update, for the reason “${reason}”.`,
        trajectories: sums.get(`${start}${code}`) ?? 0,
        tokens: sums.get(`dropped_tokens/${code}`) ?? 0,
        search: { split: 'train', outcome: 'dropped', reason },
      };
    })
    .sort((a, b) => (b.trajectories ?? 0) - (a.trajectories ?? 0));
  const rest = {
    ...whole,
    trajectories: (whole.trajectories ?? 0) - stages.reduce((sum, one) => sum + (one.trajectories ?? 0), 0),
    tokens: whole.tokens - stages.reduce((sum, { tokens }) => sum + tokens, 0),
  };
  return [...stages, rest];
}

/** What is left after each stage, in tokens; the part that a stage took lies between its value and the one before. */
export function leftAfter({ tokens, stages }: Flow): readonly number[] {
  let left = tokens;
  return stages.map((stage) => {
    if (stage.id !== 'trained') left -= stage.tokens;
    return left;
  });
}

/** Counts the flow from stored trajectories; the names are those of the metrics. */
export function countFlow(rows: readonly TrajectoryRow[]): FlowSums {
  const sums = new Map<string, number>();
  const add = (name: string, amount: number): void => {
    if (amount > 0) sums.set(name, (sums.get(name) ?? 0) + amount);
  };
  for (const { outcome, sampledTokens, lossTokens, clippedTokens, dropped } of rows) {
    if (outcome === null) continue;
    add('trajectories', 1);
    add('tokens', sampledTokens);
    const code = outcome.replaceAll('-', '_');
    add(`trajectories/${code}`, 1);
    if (outcome === 'trained') {
      add('tokens/masked', sampledTokens - (lossTokens ?? 0));
      add('tokens/clipped', clippedTokens ?? 0);
      add('tokens/trained', (lossTokens ?? 0) - (clippedTokens ?? 0));
      continue;
    }
    add(`tokens/${code}`, sampledTokens);
    if (outcome !== 'dropped' || dropped === null) continue;
    const reason = dropped.reason.replaceAll('-', '_');
    add(`dropped_trajectories/${reason}`, 1);
    add(`dropped_tokens/${reason}`, sampledTokens);
  }
  return sums;
}

export interface Difference {
  readonly name: string;
  readonly told: number;
  readonly stored: number;
}

/** Where the counts of the trainer and those of the stored trajectories differ. */
export const differences = (told: FlowSums, stored: FlowSums): readonly Difference[] =>
  [...new Set([...told.keys(), ...stored.keys()])]
    .map((name) => ({ name, told: told.get(name) ?? 0, stored: stored.get(name) ?? 0 }))
    .filter((one) => one.told !== one.stored);
