/** @file What the oracle's plans and the continuations say about where a trajectory turned. Pure functions. */
import type { TrajectoryDetails } from '@espalier/client';

type Turn = TrajectoryDetails['turns'][number];

/** Where the way to success became longer, or was lost. */
export interface PlanTurn {
  /** from 0 */
  readonly turn: number;
  readonly before: number;
  /** undefined: there is no way to success any more */
  readonly after: number | undefined;
}

/** The first turn whose actions made the oracle's plan longer or left none; undefined: none did, as far as recorded. */
export function findPlanTurn(turns: readonly Pick<Turn, 'plan'>[]): PlanTurn | undefined {
  for (let turn = 0; turn + 1 < turns.length; turn++) {
    const before = turns[turn]?.plan?.length;
    const after = turns[turn + 1]?.plan?.length;
    if (before === undefined || after === undefined || before === 0) continue;
    if (after === 0) return { turn, before, after: undefined };
    if (after > before) return { turn, before, after };
  }
  return undefined;
}

/** How the actions of a turn stand beside the oracle's plan. */
export function compareWithPlan({ plan, actions }: Pick<Turn, 'plan' | 'actions'>): string {
  if (plan === null) return 'not recorded';
  if (plan.length === 0) return 'no way to success was left';
  if (actions.length === 0) return 'the model took no action';
  const same = actions.findIndex(({ text }, index) => text !== plan[index]);
  if (same < 0) return 'the same';
  return same === 0 ? 'another action' : `the same for ${same} of ${actions.length} actions`;
}

/** Why no plan can be drawn; undefined: one can. */
export const whyNoPlan = (turns: readonly Pick<Turn, 'plan'>[]): string | undefined =>
  turns.every(({ plan }) => plan === null)
    ? 'No plan of an oracle is recorded: the environment has none, it is too slow to be asked in every turn, or rollout.plans is off.'
    : undefined;

/** Outcomes by what ended them, the most frequent first. */
export function countStops(
  outcomes: readonly { readonly stopReason: string; readonly success: boolean }[],
): readonly (readonly [reason: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { stopReason, success } of outcomes) {
    const reason = success ? 'success' : stopReason;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}
