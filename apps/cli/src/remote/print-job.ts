/** @file A job of a run that was just queued, for those who asked for it: its id, or, with --wait, its result. */
import type { Client, Job } from '@espalier/client';
import { stoppedStates } from '@espalier/protocol';
import type { Console } from '../console.js';
import { exitCodes } from '../exit-codes.js';
import { describeRescored } from '../view/rescored-lines.js';
import { describeResult } from '../view/evaluation-lines.js';

interface PrintOptions {
  readonly wait?: boolean;
  readonly json?: boolean;
}

/** Prints a queued job, or waits for it and prints what came of it. @returns the exit code */
export async function printJob(
  client: Client,
  runId: string,
  queued: Job,
  { wait, json }: PrintOptions,
  console: Console,
): Promise<number> {
  if (wait !== true) {
    console.line(json === true ? JSON.stringify(queued) : `job ${queued.id}  ${queued.state}`);
    if (json !== true) console.line(console.colors.dim(`its result: espalier run show ${runId}`));
    return exitCodes.ok;
  }
  const job = await waitForJob(client, runId, queued.id);
  const rescored = await client.runs.rescored(job.id);
  const result = job.result === null ? null : { ...job.result, ...rescored };
  if (json === true) console.line(JSON.stringify({ ...job, result }));
  else if (result === null) console.line(`job ${job.id} ${job.state}: ${job.message}`);
  else {
    console.line(describeResult(result));
    for (const line of describeRescored({ ...result, ...rescored })) console.line(line);
  }
  return job.state === 'finished' ? exitCodes.ok : exitCodes.failed;
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
