import { readFileSync } from 'node:fs';

/** Processor time of a process so far, user and system, s (Linux). */
export interface ProcessorSeconds {
  readonly own: number;
  /** of its children that have ended, and theirs */
  readonly children: number;
}

/** Reads the processor time of a process that lives. */
export function processorSeconds(pid: number | 'self' | undefined): ProcessorSeconds {
  const text = readFileSync(`/proc/${pid ?? ''}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (from: number): number => (Number(fields[from]) + Number(fields[from + 1])) / 100;
  return { own: ticks(11), children: ticks(13) };
}
