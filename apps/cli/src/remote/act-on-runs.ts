/** @file One action on several runs, with a line for each. */
import { clean } from '../console.js';
import type { BulkRunsInput, Client } from '@espalier/client';
import type { CommandContext } from '../command-context.js';
import { exitCodes } from '../exit-codes.js';
import type { ConnectOptions } from './connect.js';
import { findRun } from './find-run.js';
import { displayName } from './run-table.js';

/**
 * Does one thing to several runs and prints what became of each; the exit code is 3 when one of them was refused.
 *
 * @throws cli.run_not_found, cli.ambiguous_run before anything is done
 */
export async function actOnRuns(
  client: Client,
  { console, finish }: CommandContext,
  words: readonly string[],
  input: Omit<BulkRunsInput, 'runIds'>,
  { json }: ConnectOptions,
): Promise<void> {
  const runIds = [];
  for (const word of words) runIds.push(await findRun(client, word));
  const results = await client.runs.bulk({ ...input, runIds });
  if (results.some(({ refusal }) => refusal !== null)) finish(exitCodes.invalid);
  if (json === true) return console.line(JSON.stringify(results));
  for (const { runId, run, refusal } of results) {
    if (run === null) console.note(clean(refusal?.message ?? ''));
    else
      console.line(
        `run ${runId}  ${clean(displayName(run))}  ${input.action === 'delete' ? 'deleted' : run.state}`,
      );
  }
}
