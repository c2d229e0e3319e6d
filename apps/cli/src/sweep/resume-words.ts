/** @file The command that goes on with a sweep. */
import { quoteWord } from '../parse-arguments.js';

/** What a command line says of a sweep, but for its key. */
export interface SweepRequest {
  readonly set?: readonly string[] | undefined;
  readonly only?: readonly string[];
  readonly seeds?: readonly number[] | undefined;
  readonly concurrency?: number;
  readonly threads?: number | undefined;
  /** seconds of processor time */
  readonly budget?: number | undefined;
  readonly out?: string | undefined;
  readonly server?: string | undefined;
}

/** The words after the name of the program, quoted for a shell: what is left out is the default of the command. */
export function resumeWords(file: string, request: SweepRequest): string {
  const { set = [], only = [], seeds, concurrency = 1, threads, budget, out, server } = request;
  const words = [
    ...set.flatMap((one) => ['--set', one]),
    ...(only.length === 0 ? [] : ['--only', only.join(',')]),
    ...(seeds === undefined ? [] : ['--seeds', seeds.join(',')]),
    ...(concurrency === 1 ? [] : ['--concurrency', String(concurrency)]),
    ...(threads === undefined ? [] : ['--threads', String(threads)]),
    ...(budget === undefined ? [] : ['--budget', `${budget}s`]),
    ...(out === undefined ? [] : ['--out', out]),
    ...(server === undefined ? [] : ['--server', server]),
  ];
  return ['sweep', file, ...words].map(quoteWord).join(' ');
}
