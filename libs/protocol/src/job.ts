/**
 * @file What a job is, the states it passes through, and what its process may end with.
 * A job is one piece of work of a run (training it, evaluating a checkpoint, or a chat with one); an attempt is one try at a job.
 */
import { z } from 'zod';
import { count, text } from './bounds.js';

/** What a job does: trains a run, measures one of its checkpoints, or lets one reply to people. */
export const jobKinds = ['train', 'evaluate', 'chat'] as const;
export type JobKind = (typeof jobKinds)[number];

/** Every state of a job, with what it means. */
export const jobStates = {
  importing: 'was created elsewhere; its history and files are being uploaded',
  queued: 'waits for devices',
  assigned: 'has devices; its process is about to start',
  running: 'its process is running',
  pausing: 'is saving and stopping on request',
  paused: 'stopped on request; can be resumed',
  cancelling: 'is stopping for good on request',
  cancelled: 'ended on request',
  finished: 'completed successfully',
  failed: 'failed with an error that a retry would repeat, or too often in a row; can be resumed',
} as const;
export type JobState = keyof typeof jobStates;

const transitions: Readonly<Record<JobState, readonly JobState[]>> = {
  importing: ['finished', 'failed', 'cancelled'],
  queued: ['assigned', 'paused', 'cancelled'],
  assigned: ['running', 'queued', 'pausing', 'cancelling', 'failed', 'finished', 'paused', 'cancelled'],
  running: ['queued', 'pausing', 'cancelling', 'finished', 'failed', 'paused', 'cancelled'],
  pausing: ['paused', 'finished', 'failed', 'cancelling', 'queued', 'cancelled'],
  paused: ['queued', 'cancelled'],
  cancelling: ['cancelled', 'finished', 'failed'],
  cancelled: ['queued'],
  finished: ['queued'],
  failed: ['queued'],
};

/** States in which a worker holds the job. */
export const activeStates: readonly JobState[] = ['assigned', 'running', 'pausing', 'cancelling'];
/** States that only a user can leave. */
export const stoppedStates: readonly JobState[] = ['paused', 'cancelled', 'finished', 'failed'];

/** Tells whether a job may go from one state to another. A state never leads to itself. */
export function isTransition(from: JobState, to: JobState): boolean {
  return transitions[from].includes(to);
}

/** The devices that a job needs. */
export const jobNeeds = z.strictObject({
  kind: z.enum(['cpu', 'gpu']).default('cpu').describe('kind of device'),
  count: z.int().min(1).max(64).default(1).describe('devices of that kind, all on one worker'),
  memoryMb: count
    .default(0)
    .describe('free memory per device, MiB; for a CPU device, its share of the machine’s memory; 0: any'),
  labels: z.array(text(64)).max(16).default([]).describe('labels the worker must have'),
});
export type JobNeeds = z.infer<typeof jobNeeds>;

/** How a trainer process ended, as far as trying again is concerned. */
export const exitVerdicts = {
  finished: 'the work is done',
  stopped: 'saved and stopped before its end, on request or because the disk was full; can be resumed',
  refused: 'bad input, or a key that is not accepted, which every try would meet; never tried again',
  failed: 'the work itself failed, in a way it explains',
  crashed: 'ended by a signal or without a word',
} as const;
export type ExitVerdict = keyof typeof exitVerdicts;

/**
 * Classifies how a process ended, by the exit codes of `espalier` (docs/reference/cli.md).
 *
 * @param code   exit code, or null when a signal ended the process
 * @param signal its name, or null
 */
export function classifyExit(code: number | null, signal: string | null): ExitVerdict {
  if (signal !== null || code === null || code >= 128) return 'crashed';
  if (code === 0) return 'finished';
  if (code === 75) return 'stopped';
  if (code === 5) return 'failed';
  return [2, 3, 4, 77].includes(code) ? 'refused' : 'crashed';
}
