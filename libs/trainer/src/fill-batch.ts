/**
 * @file The groups of one iteration: collected, chosen, and, where the run asks for it, dropped ones replaced by newly
 * sampled ones until the batch is full or the bound is reached.
 * Source: Yu et al. 2025, arXiv:2503.14476, sec. 3.2 (DAPO, dynamic sampling). Difference: a round samples as many groups
 * as are missing, so no more are kept than the run asks for, and none is sampled to be thrown away.
 */
import { listTrained } from '@espalier/contracts/mixing';
import { type Collection, joinCollections } from '@espalier/rollout';
import type { PhaseClock } from './phase-clock.js';
import { type PlayState, type Progress, progressOf, type RunContext } from './run-context.js';
import { type GroupChoice, selectGroups, tagOf } from './select-groups.js';
import { needsGreedyBaseline } from './tag-algorithms.js';

/** What an iteration learns from, and what it took to get it. */
export interface FilledBatch {
  readonly collection: Collection;
  readonly choice: GroupChoice;
  /** rounds in which dropped groups were replaced */
  readonly rounds: number;
  /** groups that were sampled in place of dropped ones */
  readonly resampled: number;
  /** environment steps that repeated actions under other noise seeds, and how many repetitions failed */
  readonly replaySteps: number;
  readonly failedReplays: number;
}

/** Collects and chooses the groups of a step; by default from what is known now, reporting its progress. */
export async function fillBatch(
  run: RunContext,
  step: number,
  signal: AbortSignal,
  clock: PhaseClock,
  { played, progress }: { readonly played: PlayState; readonly progress: Progress } = {
    played: run.state,
    progress: progressOf(run, 'collect'),
  },
): Promise<FilledBatch> {
  const planned = new Map(
    listTrained(run.spec).map(({ tag = '', spec }) => [tag, spec.rollout.promptsPerStep]),
  );
  const sizes = [...planned.values()].reduce((sum, count) => sum + count, 0);
  const episodes = [...planned].reduce(
    (sum, [tag, count]) => sum + count * (run.spec.rollout.groupSize + Number(needsGreedyBaseline(tag, run))),
    0,
  );
  progress(0, episodes);
  let collection = await clock.time('collect', () => run.collect(step, played, signal, progress));
  const chances: number[] = [];
  let [replaySteps, failedReplays] = [0, 0];
  const choose = async (): Promise<GroupChoice> => {
    const added = collection.groups.slice(chances.length);
    const chance = await run.estimateChance?.(added, signal);
    chances.push(...(chance?.variances ?? added.map(() => 0)));
    replaySteps += chance?.steps ?? 0;
    failedReplays += chance?.failed ?? 0;
    return selectGroups(collection.groups, run, run.estimateChance && chances);
  };
  let choice = await clock.time('select', choose);
  let [rounds, resampled] = [0, 0];
  const before = new Map(planned);
  while (rounds < (run.spec.rollout.resample ?? 0)) {
    const counts = countMissing(planned, collection, choice);
    const count = [...counts.values()].reduce((sum, own) => sum + own, 0);
    if (count === 0) break;
    const replacements = { first: sizes + resampled, counts, before };
    const more = await clock.time('collect', () => run.collect(step, played, signal, progress, replacements));
    for (const [tag, own] of counts) before.set(tag, (before.get(tag) ?? 0) + own);
    collection = joinCollections(collection, more);
    choice = await clock.time('select', choose);
    rounds += 1;
    resampled += count;
  }
  return { collection, choice, rounds, resampled, replaySteps, failedReplays };
}

/** How many groups of each tag are missing in a full batch. */
function countMissing(
  planned: ReadonlyMap<string, number>,
  { groups }: Collection,
  { kept }: GroupChoice,
): Map<string, number> {
  const missing = new Map(planned);
  for (const index of kept) {
    const group = groups[index];
    const tag = group === undefined ? '' : tagOf(group);
    missing.set(tag, (missing.get(tag) ?? 0) - 1);
  }
  return new Map([...missing].filter(([, count]) => count > 0));
}
