/** @file How steps are chosen where they are drawn beside each other: by keys and clicks, with shift for several. */
import type { Range } from '../routing/run-filter.js';

interface Chosen {
  /** where keys without shift go on from; undefined: the newest step */
  readonly at: number | undefined;
  /** what is chosen, if only one step; undefined: nothing is */
  readonly range: Range | undefined;
  readonly lastStep: number;
}

interface Pressed {
  readonly key: string;
  readonly shiftKey: boolean;
}

const strides: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: 10,
  PageDown: -10,
  Home: -Infinity,
  End: Infinity,
};

/** What is chosen: several steps, one, or nothing. */
export const chosenSteps = (range: Range | undefined, step: number | undefined): Range | undefined =>
  range ?? (step === undefined ? undefined : { from: step, to: step });

/** A step, or with shift a range that grows at the end that the key points to; undefined: it is another key. */
export function chooseByKey(
  { key, shiftKey }: Pressed,
  { at, range, lastStep }: Chosen,
): number | Range | undefined {
  const stride = strides[key];
  if (stride === undefined) return undefined;
  const within = (step: number): number => Math.max(1, Math.min(lastStep, step));
  if (!shiftKey) return within((at ?? lastStep) + stride);
  const { from, to } = range ?? { from: lastStep, to: lastStep };
  return stride < 0 ? { from: within(from + stride), to } : { from, to: within(to + stride) };
}

/** Through the trajectories of the chosen steps, or into one; undefined: it is another key. */
export function walkByKey({ key, shiftKey }: Pressed): 1 | -1 | 'open' | undefined {
  if (shiftKey) return undefined;
  return key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : key === 'Enter' ? 'open' : undefined;
}

/** What a click with shift chooses: from where the range begins to the step; before it, the range begins there. */
export function rangeUpTo(step: number, { range, lastStep }: Pick<Chosen, 'range' | 'lastStep'>): Range {
  const { from, to } = range ?? { from: lastStep, to: lastStep };
  return step < from ? { from: step, to } : { from, to: step };
}
