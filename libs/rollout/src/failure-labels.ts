/**
 * @file What went wrong in an episode, by rules over its states, actions and the oracle's plans. Each rule gives the first
 * turn it applies to; docs/learn/failure-labels.md states and discusses them.
 */
import type { StopReason, Turn } from '@espalier/contracts';
import { type FailureLabel, failureLabels, type LabelRecord } from '@espalier/contracts/failure-labels';

/** What the rules need of a turn beside its record. */
export interface TurnTrace {
  /** keys of the state shown and of the state after each action */
  readonly states: readonly string[];
  /** names of the available actions; absent: any text is an action */
  readonly available?: readonly string[] | undefined;
}

export interface EpisodeTrace {
  readonly turns: readonly Turn[];
  /** one for each turn */
  readonly traces: readonly TurnTrace[];
  readonly stopReason: StopReason;
  /** the oracle's plan from the last state, where the environment did not end the episode */
  readonly lastPlan?: readonly string[] | undefined;
  /** another turn was allowed when the episode ended */
  readonly hasBudget: boolean;
  /** the episode ended with the last action that the environment itself allows */
  readonly reachedOwnLimit?: boolean;
}

/** Labels an episode that ended by itself or by its budget. */
export function labelEpisode(episode: EpisodeTrace): LabelRecord[] {
  return (Object.keys(failureLabels) as FailureLabel[]).flatMap((name) => {
    const turn = rules[name](episode);
    return turn === undefined || turn < 0 ? [] : [{ name, turn }];
  });
}

/** Finds the first turn a label applies to; undefined or negative: none. */
type Rule = (episode: EpisodeTrace) => number | undefined;

const rules: Readonly<Record<FailureLabel, Rule>> = {
  'format-failure': ({ turns }) => turns.findIndex((turn) => !turn.formatValid || turn.actions.length === 0),
  'invalid-action': ({ turns }) => turns.findIndex((turn) => turn.actions.some(({ valid }) => !valid)),
  'no-op-loop': findNoOpLoop,
  cycle: findCycle,
  misplanning: (episode) =>
    episode.turns.findIndex(
      (turn, index) =>
        !turn.actions.some(hasSlipped) &&
        (growsLonger(episode, index) || (endsInFailure(episode, index) && !followsPlan(turn))),
    ),
  'dead-end': (episode) => episode.turns.findIndex((_turn, index) => losesPlan(episode, index)),
  'unlucky-slip': (episode) =>
    episode.stopReason === 'success'
      ? undefined
      : episode.turns.findIndex((turn, index) =>
          endsInFailure(episode, index)
            ? hasSlipped(turn.actions.at(-1))
            : turn.actions.some(hasSlipped) && (growsLonger(episode, index) || losesPlan(episode, index)),
        ),
  'premature-stop': (episode) => {
    const last = episode.turns.length - 1;
    const isOwnDoing = !hasSlipped(episode.turns.at(-1)?.actions.at(-1));
    return endsInFailure(episode, last) && episode.hasBudget && isOwnDoing ? last : undefined;
  },
  'budget-exhausted': (episode) => (isExhausted(episode) ? Math.max(0, episode.turns.length - 1) : undefined),
  'reasoning-action-mismatch': ({ turns, traces }) =>
    turns.findIndex((turn, index) => isUnlikeReasoning(turn, traces[index]?.available)),
};

const hasSlipped = (action: Turn['actions'][number] | undefined): boolean => action?.slipped === true;

function findNoOpLoop({ turns }: EpisodeTrace): number | undefined {
  const actions = turns.flatMap((turn) => turn.actions.map((action) => ({ ...action, turn: turn.index })));
  return actions.find((action, index) => {
    const before = actions[index - 1];
    return before !== undefined && !before.effective && !action.effective && before.text === action.text;
  })?.turn;
}

const longestCycle = 4;

/** States in a row that are equal count once: staying is not moving in a circle. */
function findCycle({ traces }: EpisodeTrace): number | undefined {
  const visits = traces
    .flatMap(({ states }, turn) => states.map((key) => ({ key, turn })))
    .filter(({ key }, index, all) => key !== all[index - 1]?.key);
  return visits.find((_visit, last) => {
    for (let period = 2; period <= longestCycle && 2 * period <= last + 1; period++) {
      const repeats = (back: number): boolean =>
        visits[last - back]!.key === visits[last - back - period]!.key;
      if (Array.from({ length: period }, (_, back) => back).every(repeats)) return true;
    }
    return false;
  })?.turn;
}

const planAfter = ({ turns, lastPlan }: EpisodeTrace, index: number): readonly string[] | undefined =>
  index + 1 < turns.length ? turns[index + 1]!.plan : lastPlan;

/** Success stays in reach, further away than before the turn. */
function growsLonger(episode: EpisodeTrace, index: number): boolean {
  const before = episode.turns[index]!.plan?.length ?? 0;
  const after = planAfter(episode, index)?.length ?? 0;
  return before > 0 && after > before;
}

function losesPlan(episode: EpisodeTrace, index: number): boolean {
  const before = episode.turns[index]!.plan?.length ?? 0;
  return before > 0 && planAfter(episode, index)?.length === 0;
}

/** An environment's own limit ends an episode like any budget, unless the last turn could still have ended it well. */
function isExhausted({ stopReason, reachedOwnLimit = false, turns }: EpisodeTrace): boolean {
  if (stopReason !== 'failure')
    return stopReason === 'actions' || stopReason === 'turns' || stopReason === 'context';
  const { plan = [], actions = [] } = turns.at(-1) ?? {};
  const wasInReach = plan.length > 0 && plan.length <= actions.length;
  return reachedOwnLimit && !wasInReach;
}

const endsInFailure = (episode: EpisodeTrace, index: number): boolean =>
  episode.stopReason === 'failure' && !isExhausted(episode) && index === episode.turns.length - 1;

/** Without a plan nobody knows a better action. */
function followsPlan({ plan = [], actions }: Turn): boolean {
  return plan.length === 0 || actions.every(({ text }, index) => text === plan[index]);
}

function isUnlikeReasoning({ think, actions }: Turn, available: readonly string[] | undefined): boolean {
  if (available === undefined || actions.length === 0 || think === '') return false;
  const thought = think.toLowerCase();
  const named = new Set(available.filter((name) => namesAction(thought, name.toLowerCase())));
  return named.size > 0 && !actions.some(({ text }) => named.has(text));
}

const wordCharacter = /[\p{L}\p{N}_]/u;

/** Reports whether a name stands in a text as a word of its own. */
function namesAction(text: string, name: string): boolean {
  if (name === '') return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const isWord = (character: string | undefined): boolean =>
      character !== undefined && wordCharacter.test(character);
    if (!isWord(text[at - 1]) && !isWord(text[at + name.length])) return true;
  }
  return false;
}
