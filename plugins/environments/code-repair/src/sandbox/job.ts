/** @file What is asked of a sandbox, and what it says while it works: the only messages between a worker and its host. */
import type { MessagePort } from 'node:worker_threads';
import type { WasmModule } from './web-assembly.js';

export const languages = ['python', 'javascript'] as const;
export type Language = (typeof languages)[number];

/** A program with the calls to make. It holds no expected values, so that no program can read what a test wants. */
export interface Job {
  /** the whole program */
  readonly source: string;
  /** name of the function to call */
  readonly entry: string;
  /** the arguments of each call, as a literal list of the language */
  readonly calls: readonly string[];
  /** of so many calls, from the first, the output is kept, and that of reading the program; of all if absent */
  readonly heard?: number;
}

/** Bounds of what comes back, in characters; kept in the worker and again on the host. */
export const maxResult = 8000;
export const maxError = 200;
export const maxPrinted = 1000;

/** What the worker's own code says about a program, never the program itself. */
export type Message =
  /** the interpreter is up and waits for a job */
  | { readonly kind: 'up' }
  /** the program was read, or not */
  | { readonly kind: 'loaded'; readonly atMs: number; readonly error?: string }
  | { readonly kind: 'answer'; readonly atMs: number; readonly index: number; readonly answer: Answer }
  /** nothing runs any more */
  | { readonly kind: 'ended'; readonly printed: string; readonly end: 'finished' | 'exited' | 'crashed' };

/** How a call ended; `value` is JSON as values.ts reads it. */
export interface Answer {
  readonly kind: 'value' | 'raised' | 'too_large';
  readonly text: string;
}

/** What a worker is started with. */
export interface WorkerStart {
  readonly language: Language;
  readonly module: WasmModule;
  readonly memoryBytes: number;
  readonly port: MessagePort;
  /** one when a job lies at the port */
  readonly signal: SharedArrayBuffer;
}
