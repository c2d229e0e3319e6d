/** @file A job of a run that was just queued, for those who asked for it: its id, or, with --wait, its result. */
import type { Client, Job } from '@espalier/client';
import { stoppedStates } from '@espalier/protocol';
import type { Console } from '../console.js';
import { exitCodes } from '../exit-codes.js';
import { describeRescored, describeResult } from '../view/evaluation-lines.js';
import { calledAs } from '../parse-arguments.js';

interface PrintOptions {
  readonly wait?: boolean;
  readonly json?: boolean;
}

/**
 * Prints a queued job, or waits for it and prints what came of it.
 *
 * @param readRescored reads what stored trajectories are worth; absent: the job plays
 * @returns the exit code
 */
export async function printJob(
  client: Client,
  runId: string,
  queued: Job,
  { wait, json }: PrintOptions,
  console: Console,
  readRescored?: Client['runs']['rescored'],
): Promise<number> {
  if (wait !== true) {
    console.line(json === true ? JSON.stringify(queued) : `job ${queued.id}  ${queued.state}`);
    if (json !== true) console.line(console.colors.dim(`its result: ${resultOf(runId, readRescored)}`));
    return exitCodes.ok;
  }
  const job = await waitForJob(client, runId, queued.id);
  const rescored = await readRescored?.(job.id);
  const result = job.result === null ? null : { ...job.result, ...rescored };
  if (json === true) console.line(JSON.stringify({ ...job, result }));
  else if (result === null) console.line(`job ${job.id} ${job.state}: ${job.message}`);
  else if (rescored === undefined) console.line(describeResult(result));
  else for (const line of storedLines(result)) console.line(line);
  return job.state === 'finished' ? exitCodes.ok : exitCodes.failed;
}

const resultOf = (runId: string, readRescored: unknown): string =>
  readRescored === undefined ? `${calledAs()} run show ${runId}` : '`result` of the job, by the API';

function storedLines(result: NonNullable<Job['result']> & Parameters<typeof describeRescored>[0]): string[] {
  const { episodes, failed } = result;
  const left = failed === 0 ? '' : `, ${failed} that failed left out`;
  return [`${episodes} stored trajectories${left}, ${describeResult(result)}`, ...describeRescored(result)];
}

/** Waits until a job of a run has ended: each change is a record of the run. */
async function waitForJob(client: Client, runId: string, jobId: string): Promise<Job> {
  const read = async (): Promise<Job> => {
    const job = (await client.runs.get(runId)).jobs.find(({ id }) => id === jobId);
    if (job === undefined) throw new Error(`job ${jobId} is not one of run ${runId}`);
    return job;
  };
  for await (const { records } of client.follow(runId, { until: 'never', metrics: [] })) {
    const isOver = records.some(
      ({ kind, body }) =>
        kind === 'state' &&
        body['jobId'] === jobId &&
        (stoppedStates as readonly unknown[]).includes(body['to']),
    );
    if (isOver) break;
  }
  return read();
}
