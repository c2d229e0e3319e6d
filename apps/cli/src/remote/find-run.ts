/** @file Which run a person means: by its id, the beginning of its id, its name or its title. */
import type { Client, Run } from '@espalier/client';
import { AppError } from '@espalier/contracts';

const wholeId = /^run-[0-9a-z]{10}-[0-9a-z]{10}$/;
/** How many of the newest runs are looked through. */
const lookedThrough = 2000;

/**
 * Gives the id of the run that a word stands for: an id, the beginning of one that only one run has (with or without
 * `run-`), or a name or title that only one run has.
 *
 * @throws cli.run_not_found, cli.ambiguous_run
 */
export async function findRun(client: Client, word: string): Promise<string> {
  if (wholeId.test(word)) return word;
  const byName: Run[] = [];
  const byId: Run[] = [];
  let seen = 0;
  for await (const run of client.runs.all()) {
    if (run.name === word || run.title === word) byName.push(run);
    if (run.id.startsWith(word) || run.id.startsWith(`run-${word}`)) byId.push(run);
    if (++seen >= lookedThrough) break;
  }
  const found = byName.length > 0 ? byName : byId;
  const [only] = found;
  if (only === undefined)
    throw new AppError(
      'cli.run_not_found',
      `find run "${word}": ${seen === 0 ? 'there are no runs yet' : `none of the ${seen} newest runs has this name or title, or an id that begins so`}; \`espalier run list\` shows them`,
    );
  if (found.length === 1) return only.id;
  const shown = found.slice(0, 5).map(({ id, name, state }) => `${id} (${name}, ${state})`);
  throw new AppError(
    'cli.ambiguous_run',
    `find run "${word}": ${found.length} runs match: ${shown.join(', ')}${found.length > 5 ? ', …' : ''}; give more of the id`,
    { details: { ids: found.map(({ id }) => id) } },
  );
}

/**
 * Reads `<run>@<step>`.
 *
 * @throws cli.usage
 */
export function parseCheckpoint(text: string): { readonly run: string; readonly step?: number } {
  const [, run, step] = /^(.+)@(\d+)$/.exec(text) ?? [];
  if (run !== undefined && step !== undefined) return { run, step: Number(step) };
  if (!text.includes('@')) return { run: text };
  throw new AppError('cli.usage', `${text}: expected <run>@<step>, such as bandit-grpo@20`);
}
