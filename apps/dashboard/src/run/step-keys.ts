/** @file Keys that choose a step, where steps are drawn beside each other: arrows, PageUp, PageDown, Home, End. */

interface Chosen {
  /** the first that is chosen; undefined: none is */
  readonly step: number | undefined;
  /** the last */
  readonly to: number | undefined;
  readonly lastStep: number;
}

interface Pressed {
  readonly key: string;
  readonly shiftKey: boolean;
}

const strides: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10 };

/** The step that a key goes to; undefined: it is another key. With shift a range grows at the end that the key points to. */
export function stepOfKey({ key, shiftKey }: Pressed, { step, to, lastStep }: Chosen): number | undefined {
  if (key === 'Home') return 1;
  if (key === 'End') return Math.max(1, lastStep);
  const stride = strides[key];
  if (stride === undefined) return undefined;
  const from = (shiftKey && stride > 0 ? to : step) ?? lastStep;
  return Math.max(1, Math.min(lastStep, from + stride));
}
