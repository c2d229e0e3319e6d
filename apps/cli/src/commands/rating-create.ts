/** @file `espalier rating create`: a set of trajectories to rate, drawn from one run or two. */
import type { Client } from '@espalier/client';
import { AppError } from '@espalier/contracts';
import { type Command, Option } from 'commander';
import { clean, type Console } from '../console.js';
import { examples } from '../examples.js';
import { parseCount } from '../parse-arguments.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { findRun } from '../remote/find-run.js';

type NewSet = Parameters<Client['ratings']['create']>[0];

interface CreateOptions extends ConnectOptions {
  readonly rubric?: string;
  readonly pairing: 'same-state' | 'any';
  readonly split?: 'train' | 'validation' | 'test';
  readonly size: number;
  readonly seed: number;
  readonly name?: string;
  readonly instructions?: string;
}

/** Adds `espalier rating create`. */
export function addRatingCreate(rating: Command, console: Console): void {
  withConnection(rating.command('create <source...>'))
    .description('draw trajectories to rate: pairs from two sources, or one by one with --rubric')
    .option('--rubric <name>', 'rate each by this rubric of the server, such as reasoning-quality')
    .addOption(
      new Option('--pairing <how>', 'what makes a pair: both began in the same state, or any two')
        .choices(['same-state', 'any'])
        .default('same-state'),
    )
    .addOption(
      new Option('--split <split>', 'only of this split (default: of all)').choices([
        'train',
        'validation',
        'test',
      ]),
    )
    .option('--size <n>', 'pairs, or trajectories of each source', parseCount('--size', 1), 20)
    .option('--seed <n>', 'which ones are drawn: the same seed draws the same', parseCount('--seed', 0), 0)
    .option('--name <text>', 'name of the set (default: what is rated)')
    .option('--instructions <text>', 'what raters are asked')
    .addHelpText(
      'after',
      `\nA source is a run, with steps where not all are meant: RUN, RUN:STEP or RUN:FROM-TO.\n` +
        examples(
          ['rating create lake-1:0-10 lake-1:90-100 --split validation', 'the same run early and late'],
          ['rating create lake-1 --rubric reasoning-quality --size 40', 'how it reasons'],
        ),
    )
    .action(async (words: string[], options: CreateOptions) => {
      const { rubric, pairing, split, size, seed, name, instructions } = options;
      const client = connect(options);
      const sources: NewSet['sources'][number][] = [];
      for (const word of words)
        sources.push({ ...(await readSource(client, word)), ...(split === undefined ? {} : { split }) });
      const set = await client.ratings.create({
        kind: rubric === undefined ? 'pairwise' : 'rubric',
        sources,
        size,
        seed,
        ...(rubric === undefined ? { pairing } : { rubric }),
        ...(name === undefined ? {} : { name }),
        ...(instructions === undefined ? {} : { instructions }),
      });
      if (options.json === true) return console.line(JSON.stringify(set));
      console.line(
        `${set.id}  ${clean(set.name)}  ${set.size} ${set.kind === 'pairwise' ? 'pairs' : 'trajectories'}`,
      );
      console.note(`rate it on the page: ${client.connection.url}/ratings/${set.id}`);
    });
}

/** Reads `RUN`, `RUN:STEP` or `RUN:FROM-TO`. @throws cli.usage, cli.run_not_found, cli.ambiguous_run */
async function readSource(
  client: Client,
  word: string,
): Promise<{ runId: string; fromStep?: number; toStep?: number }> {
  const at = word.lastIndexOf(':');
  if (at < 0) return { runId: await findRun(client, word) };
  const range = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(word.slice(at + 1));
  if (range === null)
    throw new AppError(
      'cli.usage',
      `rating create ${word}: expected steps behind the colon; write RUN, RUN:STEP or RUN:FROM-TO`,
    );
  const fromStep = Number(range[1]);
  const toStep = Number(range[2] ?? range[1]);
  return { runId: await findRun(client, word.slice(0, at)), fromStep, toStep };
}
