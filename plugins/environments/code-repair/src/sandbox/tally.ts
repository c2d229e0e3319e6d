/** @file Counts what a program has answered: against the job that was sent, in its order, within its time and bounds. */
import { type Answer, maxError, maxPrinted, maxResult, type Message } from './job.js';
import type { ProgramResult } from './lane.js';

export interface Tally {
  /** Takes a message if it is the next that can come; others are dropped. */
  add(message: Message): void;
  isEnded(): boolean;
  /** @param otherwise how the program ended where it did not say so */
  result(otherwise: 'cut_off' | 'crashed'): ProgramResult;
}

/** Opens the tally of a job with so many calls. */
export function createTally(calls: number, timeMs: number): Tally {
  const answers: Answer[] = [];
  let isLoaded = false;
  let loadError: string | undefined;
  let isLate = false;
  let ended: Pick<ProgramResult, 'end' | 'printed'> | undefined;
  const add = (message: Message): void => {
    if (ended !== undefined || message.kind === 'up') return;
    if (message.kind === 'ended') {
      ended = { end: isLate ? 'cut_off' : message.end, printed: message.printed.slice(0, maxPrinted) };
      return;
    }
    // what came after the time counts as if it never came, however late the host looks
    isLate ||= message.atMs > timeMs;
    if (isLate) return;
    if (message.kind === 'loaded') {
      if (isLoaded || loadError !== undefined) return;
      if (message.error === undefined) isLoaded = true;
      else loadError = message.error.slice(0, maxError);
    } else if (isLoaded && message.index === answers.length && answers.length < calls)
      answers.push(bounded(message.answer));
  };
  return {
    add,
    isEnded: () => ended !== undefined,
    result: (otherwise) => ({
      answers,
      ...(loadError !== undefined && { loadError }),
      ...(ended ?? { end: otherwise, printed: '' }),
    }),
  };
}

/** An answer within its bounds. */
function bounded({ kind, text }: Answer): Answer {
  if (kind === 'value') return text.length > maxResult ? { kind: 'too_large', text: '' } : { kind, text };
  return { kind, text: text.slice(0, maxError) };
}
