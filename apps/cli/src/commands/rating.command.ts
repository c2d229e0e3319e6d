/** @file `espalier rating list|create|show|export`: what people say of trajectories. */
import type { Client } from '@espalier/client';
import { saveWholeFile } from '@espalier/files';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import { clean } from '../console.js';
import { examples } from '../examples.js';
import { addRatingCreate } from './rating-create.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';

type Opened = Awaited<ReturnType<Client['ratings']['open']>>;
type Results = NonNullable<Opened['results']>;

interface ExportOptions extends ConnectOptions {
  readonly format: 'ratings' | 'preferences';
  readonly out?: string;
}

/** Adds `espalier rating`. */
export function addRatingCommand(program: Command, { console }: CommandContext): void {
  const rating = program
    .command('rating')
    .description('blind ratings of trajectories: sets, results, data sets (docs/use/verdicts.md)');
  withConnection(rating.command('list'))
    .description('list rating sets, newest first')
    .addHelpText('after', examples(['rating list --json', 'one object per line']))
    .action(async (options: ConnectOptions) => {
      const { ratings } = connect(options);
      let after: string | null = null;
      let found = 0;
      do {
        const page: Awaited<ReturnType<typeof ratings.list>> = await ratings.list({}, { first: 200, after });
        for (const set of page.items)
          console.line(
            options.json === true
              ? JSON.stringify(set)
              : `${set.id}  ${clean(set.name)}  ${set.size} ${set.kind === 'pairwise' ? 'pairs' : 'trajectories'}  ${set.progress.map(({ name, rated }) => `${clean(name)} ${rated}`).join(', ') || 'nobody has begun'}${set.closedAt === null ? '' : '  closed'}`,
          );
        found += page.items.length;
        after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
      } while (after !== null);
      if (found === 0 && options.json !== true)
        console.note('no rating set; make one with `rating create`, or on the page of a run');
    });
  addRatingCreate(rating, console);
  withConnection(rating.command('show <set>'))
    .description('print what the ratings of a set say, once you have finished or it is closed')
    .addHelpText('after', examples(['rating show rating-01jd3x4e7k-8w2n5t0qzv', 'win rate and agreement']))
    .action(async (id: string, options: ConnectOptions) => {
      const set = await connect(options).ratings.open(id);
      if (options.json === true) return console.line(JSON.stringify(set));
      console.line(`${clean(set.name)}: ${set.size} ${set.kind === 'pairwise' ? 'pairs' : 'trajectories'}`);
      for (const { name, rated, finishedAt } of set.progress)
        console.line(`  ${clean(name)}: ${finishedAt === null ? `${rated} of ${set.size}` : 'finished'}`);
      if (set.results === null)
        return console.note('its results are hidden until this key has rated all, or the set is closed');
      for (const line of describeResults(set, set.results)) console.line(line);
    });
  withConnection(rating.command('export <set>'))
    .description('write the ratings of a set as JSON Lines')
    .addOption(
      new Option('--format <format>', 'every rating with the results, or prompt, chosen and rejected')
        .choices(['ratings', 'preferences'])
        .default('ratings'),
    )
    .option('--out <file>', 'where to write; default: standard output')
    .addHelpText(
      'after',
      examples([
        'rating export rating-01jd3x4e7k-8w2n5t0qzv --format preferences --out pairs.jsonl',
        'for a preference tuner',
      ]),
    )
    .action(async (id: string, options: ExportOptions) => {
      const text = await (await connect(options).ratings.export(id, options.format)).text();
      const lines = text.split('\n').length - 1;
      if (options.out === undefined) return console.write(text);
      saveWholeFile(options.out, text);
      console.line(
        options.json === true
          ? JSON.stringify({ file: options.out, lines })
          : `${options.out}: ${lines} ${lines === 1 ? 'line' : 'lines'}`,
      );
    });
}

function describeResults({ sources }: Opened, { preference, criteria, agreements }: Results): string[] {
  const interval = (low: number | null, high: number | null): string =>
    low === null || high === null ? '' : ` [${low.toFixed(2)}, ${high.toFixed(2)}]`;
  const letters = ['A', 'B'];
  return [
    ...(sources ?? []).map(
      ({ runName, runId, fromStep, toStep }, i) =>
        `${letters[i]}: ${clean(runName)} (${runId}), steps ${fromStep} to ${toStep}`,
    ),
    ...(preference === null
      ? []
      : [
          `A won ${preference.wins}, B won ${preference.losses}, ties ${preference.ties}; win rate of A ${preference.winRate === null ? 'undefined' : `${preference.winRate.toFixed(2)}${interval(preference.low, preference.high)}`}`,
        ]),
    ...criteria
      .filter(({ mean }) => mean !== null)
      .map(
        ({ criterion, source, mean, low, high }) =>
          `${clean(criterion)}, ${letters[source]}: ${mean?.toFixed(2)}${interval(low, high)}`,
      ),
    ...agreements.map(
      ({ criterion, level, alpha, low, high, units }) =>
        `Krippendorff’s alpha, ${criterion === null ? '' : `${clean(criterion)}, `}${level}: ${alpha === null ? 'undefined' : `${alpha.toFixed(3)}${interval(low, high)}`} over ${units} items`,
    ),
  ];
}
