/** @file The episodes of a step while they are played, in the order in which they began, so that none moves. */
import type { InFlightSummary } from '../data/types.js';

export interface Played {
  /** undefined: none was told of yet */
  readonly step: number | undefined;
  readonly episodes: ReadonlyMap<string, InFlightSummary>;
}

export const nonePlayed: Played = { step: undefined, episodes: new Map() };

/** Takes what changed: the step that is played now replaces the one before, whose late ends are passed over. */
export function withChanges(old: Played, changed: readonly InFlightSummary[]): Played {
  const step = changed.findLast(({ ended }) => ended === null)?.step ?? old.step ?? changed.at(-1)?.step;
  const episodes = new Map(step === old.step ? old.episodes : []);
  for (const one of changed) if (one.step === step) episodes.set(one.id, one);
  return { step, episodes };
}

/** How many are at what. */
export function countPhases(episodes: Iterable<InFlightSummary>): Record<'write' | 'act' | 'ended', number> {
  const counts = { write: 0, act: 0, ended: 0 };
  for (const { ended, phase } of episodes)
    counts[ended !== null ? 'ended' : phase === 'acting' ? 'act' : 'write']++;
  return counts;
}

/** The episode that is read: the chosen one, in a new step that of the same place, else the first. */
export function chooseEpisode({ episodes, step }: Played, chosen: string | undefined): string | undefined {
  if (chosen !== undefined && episodes.has(chosen)) return chosen;
  const [split, , ...place] = chosen?.split('/') ?? [];
  const same = [split, step, ...place].join('/');
  const [first] = episodes.keys();
  return episodes.has(same) ? same : first;
}
