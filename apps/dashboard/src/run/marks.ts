/** @file What happened on the axis of steps: checkpoints, warnings, attempts, forks. Pure functions. */
import type { Mark } from '../charts/plot.js';
import type { EventCount } from '../data/types.js';
import { toVisible } from '../format/visible-text.js';

/** A run that was forked from this one. */
export interface Fork {
  readonly id: string;
  readonly title: string;
  readonly step: number;
}

export type MarkKind = 'attempt' | 'checkpoint' | 'warning' | 'health' | 'fork';

interface Style extends Omit<Mark, 'step'> {
  readonly words: string;
}

export const markStyles: Readonly<Record<MarkKind, Style>> = {
  attempt: { color: '--info', dash: [6, 3], words: 'another attempt began' },
  checkpoint: { color: '--line-strong', dash: [1, 3], words: 'checkpoint' },
  warning: { color: '--warn', dash: [4, 3], words: 'warning' },
  health: { color: '--bad', dash: [4, 3], words: 'change of health' },
  fork: { color: '--data-7', dash: [2, 2], words: 'fork' },
};

const kindOf: Readonly<Record<string, MarkKind>> = {
  checkpoint: 'checkpoint',
  warning: 'warning',
  monitor: 'health',
  'run-started': 'attempt',
};

/** Something that happened at a step, or a range of them where there are many. */
export interface Happening {
  readonly kind: MarkKind;
  readonly step: number;
  readonly lastStep: number;
  readonly count: number;
  /** of a fork */
  readonly fork?: Fork;
}

/** What happened, by step; the first attempt is the run itself. */
export function happeningsOf(counts: readonly EventCount[], forks: readonly Fork[]): Happening[] {
  const told = counts.flatMap(({ kind, firstStep, lastStep, count }): Happening[] => {
    const known = kindOf[kind];
    if (firstStep === null || known === undefined) return [];
    return [{ kind: known, step: firstStep, lastStep: lastStep ?? firstStep, count }];
  });
  const attempts = told.filter(({ kind }) => kind === 'attempt');
  const first = attempts.reduce<Happening | undefined>(
    (least, one) => (least === undefined || one.step < least.step ? one : least),
    undefined,
  );
  const later = told.flatMap((one) => {
    if (one !== first) return [one];
    return one.count > 1 ? [{ ...one, count: one.count - 1 }] : [];
  });
  const forked = forks.map((fork): Happening => {
    const { step } = fork;
    return { kind: 'fork', step, lastStep: step, count: 1, fork };
  });
  return [...later, ...forked].sort((one, other) => one.step - other.step);
}

/** Lines over the charts. */
export const linesOf = (happenings: readonly Happening[]): Mark[] =>
  happenings.map(({ kind, step }) => ({ step, ...markStyles[kind] }));

/** Such as "checkpoint, 2 warnings, fork “hotter”". */
export function tellHappenings(happenings: readonly Happening[]): string {
  const counts = new Map<MarkKind, number>();
  for (const { kind, count } of happenings) counts.set(kind, (counts.get(kind) ?? 0) + count);
  return [...counts]
    .map(([kind, count]) => {
      const { words } = markStyles[kind];
      if (kind === 'fork')
        return happenings
          .flatMap(({ fork }) => (fork === undefined ? [] : [`fork “${toVisible(fork.title)}”`]))
          .join(', ');
      return count === 1 ? words : `${words} × ${count}`;
    })
    .join(', ');
}
