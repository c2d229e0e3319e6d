/**
 * @file The batches of trajectories that a checkpoint holds, bit for bit: groups to replay, and the batch sampled ahead.
 * Trajectories lie once in the file; the parts of a batch name them by their places.
 */
import { isRecord } from '@espalier/contracts/values';
import { decodeRecord, encodeRecord } from '@espalier/recorder';
import { type Collection } from '@espalier/rollout';
import { isLearnedGroup, isTrajectory, type LearnedGroup } from './replay.js';
import type { AheadBatch } from './sample-ahead.js';

/** One group a line. */
export const encodeReplay = (groups: readonly LearnedGroup[]): string =>
  groups.map((group) => `${encodeRecord(group)}\n`).join('');

/** Parses {@link encodeReplay}; undefined: it is something else. */
export function parseReplay(text: string): readonly LearnedGroup[] | undefined {
  const groups = text
    .split('\n')
    .filter((line) => line !== '')
    .map(decodeLine);
  return groups.every(isLearnedGroup) ? groups : undefined;
}

/** What a tag has of a collection: places among all groups and failed episodes. */
interface TagPlaces extends Omit<Collection, 'groups' | 'failed' | 'tags'> {
  readonly tag: string;
  readonly groups: readonly number[];
  readonly failed: readonly number[];
}

export function encodeAhead({ step, policySteps, batch }: AheadBatch): string {
  const { collection, ...rest } = batch;
  const { tags, ...all } = collection;
  const places = [...(tags ?? [])].map(([tag, { tags: _, groups, failed, ...own }]): TagPlaces => ({
    ...own,
    tag,
    groups: groups.map((group) => collection.groups.indexOf(group)),
    failed: failed.map((one) => collection.failed.indexOf(one)),
  }));
  const weights = rest.choice.weights && [...rest.choice.weights];
  const dropped = rest.choice.dropped.map((reason) => reason ?? null);
  const choice = { kept: rest.choice.kept, weights: weights ?? null, dropped };
  return `${encodeRecord({ step, policySteps, batch: { ...rest, choice }, all, places: tags && places })}\n`;
}

/** Parses {@link encodeAhead}; undefined: it is something else. */
export function parseAhead(text: string): AheadBatch | undefined {
  const value = decodeLine(text) as ReturnType<typeof readAhead> | undefined;
  if (!isAhead(value)) return undefined;
  const { step, policySteps, batch, all, places } = readAhead(value);
  const { choice, ...rest } = batch;
  const tags = places?.map(({ tag, groups, failed, ...own }): [string, Collection] => [
    tag,
    {
      ...own,
      groups: groups.flatMap((place) => all.groups[place] ?? []),
      failed: failed.flatMap((place) => all.failed[place] ?? []),
    },
  ]);
  const { weights, dropped, kept } = choice;
  return {
    step,
    policySteps,
    batch: {
      ...rest,
      collection: { ...all, ...(tags === undefined ? {} : { tags: new Map(tags) }) },
      choice: {
        kept,
        dropped: dropped.map((reason) => reason ?? undefined),
        ...(weights === null ? {} : { weights: Float64Array.from(weights) }),
      },
    },
  };
}

type StoredChoice = {
  readonly kept: readonly number[];
  readonly weights: readonly number[] | null;
  readonly dropped: readonly (NonNullable<AheadBatch['batch']['choice']['dropped'][number]> | null)[];
};

const readAhead = (value: unknown) =>
  value as Omit<AheadBatch, 'batch'> & {
    readonly batch: Omit<AheadBatch['batch'], 'collection' | 'choice'> & { readonly choice: StoredChoice };
    readonly all: Collection;
    readonly places?: readonly TagPlaces[];
  };

function isAhead(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { step, policySteps, batch, all, places } = value;
  return (
    [step, policySteps].every(Number.isSafeInteger) &&
    isRecord(batch) &&
    isRecord(batch['choice']) &&
    ['kept', 'dropped'].every((key) => Array.isArray((batch['choice'] as Record<string, unknown>)[key])) &&
    isRecord(all) &&
    Array.isArray(all['groups']) &&
    Array.isArray(all['failed']) &&
    all['groups'].every(
      (group) =>
        isRecord(group) &&
        Array.isArray(group['trajectories']) &&
        group['trajectories'].every(isTrajectory) &&
        (group['greedyBaseline'] === undefined || isTrajectory(group['greedyBaseline'])),
    ) &&
    (places === undefined || Array.isArray(places))
  );
}

function decodeLine(line: string): unknown {
  try {
    return decodeRecord(line);
  } catch {
    return undefined;
  }
}
