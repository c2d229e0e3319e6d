/** @file Where the branches of a family lie: one step axis for all runs, a row for each, seeds of one setting next to each other. */

export interface Member {
  readonly id: string;
  readonly parentRunId: string | null;
  readonly parentStep: number | null;
  readonly continues: boolean;
  /** completed, in its own count; null before the first */
  readonly step: number | null;
  readonly steps: number;
  readonly createdAt: string;
}

export interface Branch<M extends Member> {
  readonly run: M;
  /** what is added to its own steps on the axis */
  readonly offset: number;
  /** on the axis: where it begins, how far it is, and where it is to end */
  readonly from: number;
  readonly to: number;
  readonly end: number;
  /** row of its parent; undefined: it is the root */
  readonly parentRow: number | undefined;
  /** number of the seeds that it belongs to; undefined: none */
  readonly band: number | undefined;
}

/**
 * Lays out runs below a root, each under its parent. A fork that continues counts its steps as its parent does; one that
 * took weights only counts anew from where it began.
 *
 * @param groups ids of runs that differ in their seed only
 */
export function layOut<M extends Member>(
  runs: readonly M[],
  rootId: string,
  groups: readonly (readonly string[])[] = [],
): Branch<M>[] {
  const bandOf = new Map(
    groups.filter((ids) => ids.length > 1).flatMap((ids, band) => ids.map((id) => [id, band] as const)),
  );
  const branches: Branch<M>[] = [];
  const seen = new Set<string>();
  const add = (run: M, parentRow: number | undefined): void => {
    if (seen.has(run.id)) return;
    seen.add(run.id);
    const parent = parentRow === undefined ? undefined : branches[parentRow];
    const begun = run.parentStep ?? 0;
    const before = parent?.offset ?? 0;
    const offset = parent === undefined ? 0 : run.continues ? before : before + begun;
    const from = parent === undefined ? (run.continues ? begun : 0) : before + begun;
    const to = Math.max(from, offset + (run.step ?? 0));
    const end = Math.max(to, offset + run.steps);
    const row = branches.length;
    branches.push({ run, offset, from, to, end, parentRow, band: bandOf.get(run.id) });
    const children = runs.filter(({ parentRunId }) => parentRunId === run.id);
    for (const child of children.sort(byBranch(bandOf))) add(child, row);
  };
  const root = runs.find(({ id }) => id === rootId);
  if (root !== undefined) add(root, undefined);
  return branches;
}

/** Later forks first, so that no connector crosses a row; seeds of one setting together; then by age. */
const byBranch =
  (bandOf: ReadonlyMap<string, number>) =>
  (a: Member, b: Member): number =>
    (b.parentStep ?? 0) - (a.parentStep ?? 0) ||
    (bandOf.get(a.id) ?? Infinity) - (bandOf.get(b.id) ?? Infinity) ||
    (a.createdAt < b.createdAt ? -1 : 1);

/** Round steps for the axis, at most `count` of them. */
export function ticksOf(last: number, count = 8): number[] {
  const raw = Math.max(1, last / count);
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * size).find((one) => one >= raw) ?? 1);
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step);
}

/** Distance of two dots that do not cover each other, as a share of the axis: half a dot on the narrowest axis of a desk. */
const dotDistance = 0.015;

/** Of the checkpoints of a run those with a dot of their own: the chosen one, the oldest, the newest, and as many others as there is room for. */
export function spacedSteps(steps: readonly number[], last: number, chosen: number | undefined): number[] {
  const sorted = [...steps].sort((a, b) => a - b);
  const first = chosen !== undefined && sorted.includes(chosen) ? [chosen] : [];
  const kept: number[] = [];
  for (const step of [...first, ...sorted.slice(0, 1), ...sorted.slice(-1), ...sorted])
    if (kept.every((other) => Math.abs(other - step) >= dotDistance * last)) kept.push(step);
  return kept.sort((a, b) => a - b);
}
