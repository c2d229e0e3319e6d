/** @file Which weights sampled the parts of a trajectory, and how stale they were. Pure functions. */
import type { OpenedTrajectory } from '../data/types.js';
import { formatCount } from '../format/numbers.js';

/** Turns that were sampled by the same weights. */
export interface Segment {
  /** turns from 0, both included */
  readonly from: number;
  readonly to: number;
  /** tokens `[start, end)`, what was read before its first turn included */
  readonly start: number;
  readonly end: number;
  /** optimizer steps of the weights; null: not known */
  readonly version: number | null;
}

export function segmentsOf(turns: OpenedTrajectory['turns']): readonly Segment[] {
  const segments: Segment[] = [];
  for (const { index, policyVersion: version, sampled } of turns) {
    const last = segments.at(-1);
    if (last?.version === version) segments[segments.length - 1] = { ...last, to: index, end: sampled.end };
    else segments.push({ from: index, to: index, start: last?.end ?? 0, end: sampled.end, version });
  }
  return segments;
}

/** Such as "version 12, 2 optimizer steps stale". @param update undefined or null: not trained */
export function tellVersion(version: number | null, update: OpenedTrajectory['update'] | undefined): string {
  if (version === null) return 'version not known';
  const age = tellAge(version, update);
  return age === undefined ? `version ${version}` : `version ${version}, ${age}`;
}

/** How many optimizer steps the policy had made since, when its update began; undefined: not recorded. */
function tellAge(version: number, update: OpenedTrajectory['update'] | undefined): string | undefined {
  const now = update?.policyVersion ?? undefined;
  if (now === undefined) return undefined;
  const steps = now - version;
  return steps === 0 ? 'not stale' : `${formatCount(steps, 'optimizer step')} stale`;
}

/** All segments in a sentence. */
export function tellWeights({ turns, update }: Pick<OpenedTrajectory, 'turns' | 'update'>): string {
  const segments = segmentsOf(turns);
  const [first] = segments;
  if (first === undefined) return 'none sampled';
  if (segments.length === 1) return tellVersion(first.version, update);
  const versions = segments.flatMap(({ version }) => version ?? []);
  if (versions.length < segments.length) return `${segments.length} segments, not all of a known version`;
  const oldest = Math.min(...versions);
  const words = `versions ${oldest} to ${Math.max(...versions)} in ${segments.length} segments`;
  const age = tellAge(oldest, update);
  return age === undefined ? words : `${words}, the oldest ${age}`;
}

export const whatVersionsAre =
  'The version of a policy is the number of its optimizer steps. A turn is stale by those that the policy had made between sampling it and the update that learned from it. Raw keys: policyVersion of a turn and of an update.';
