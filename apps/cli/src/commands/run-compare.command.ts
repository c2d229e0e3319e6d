import type { Client, RunComparison } from '@espalier/client';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { clean, type Console } from '../console.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { findRun } from '../remote/find-run.js';
import { examples } from '../examples.js';
import { collect, parseCount } from '../parse-arguments.js';
import { short } from '../view/numbers.js';
import { alignColumns } from '../view/align-columns.js';

interface CompareOptions extends ConnectOptions {
  readonly metric: readonly string[];
  readonly last: number;
}

/** Metrics shown by default, as far as the runs have them. */
const usual = [
  'validation/success_rate',
  'rollout/success_rate',
  'rollout/reward_mean',
  'rollout/entropy',
  'policy/approx_kl',
  'policy/gradient_norm',
];

/** Adds `espalier run compare`. */
export function addRunCompare(run: Command, context: CommandContext): void {
  withConnection(run.command('compare <runs...>'))
    .description('put runs side by side: options that differ, metrics per run and over seeds')
    .option('--metric <name>', 'compare this metric; repeatable (default: the usual ones)', collect, [])
    .option('--last <k>', 'take the mean of the last k values', parseCount('--last', 1), 10)
    .addHelpText(
      'after',
      examples(
        ['run compare bandit-grpo bandit-ppo', 'what differs, and what came of it'],
        ['run compare seed-1 seed-2 seed-3 --metric rollout/entropy --last 5', 'spread over seeds'],
        ['run compare bandit-grpo bandit-ppo --json', 'every metric, for a program'],
      ),
    )
    .action(async (words: string[], options: CompareOptions) => {
      const client = connect(options);
      const ids = await Promise.all(words.map((word) => findRun(client, word)));
      const metrics = await chooseMetrics(client, ids, options);
      const found = await client.runs.compare(ids, {
        ...(metrics === undefined ? {} : { metrics }),
        last: options.last,
      });
      if (options.json === true) context.console.line(JSON.stringify(found));
      else print(found, options.last, context.console);
    });
}

/** The metrics given by the user, else the usual ones that the runs have; undefined: all. */
async function chooseMetrics(
  client: Client,
  ids: readonly string[],
  { metric, json }: CompareOptions,
): Promise<readonly string[] | undefined> {
  if (metric.length > 0) return metric;
  if (json === true) return undefined;
  const lists = await Promise.all(ids.map((id) => client.metrics.names(id)));
  const known = new Set(lists.flat().map(({ name }) => name));
  return usual.filter((name) => known.has(name));
}

function print({ runs, differences, groups, metrics }: RunComparison, last: number, console: Console): void {
  const { bold, dim } = console.colors;
  runs.forEach(({ id, name, state }, index) =>
    console.line(`${bold(letter(index))}  ${clean(name)}  ${state}  ${dim(id)}`),
  );
  section('options that differ', ['', ...runs.map((_, index) => letter(index))], console, [
    ...differences.map(({ path, values }) => [
      path,
      ...values.map((value) => (value === null ? '–' : JSON.stringify(value))),
    ]),
  ]);
  section(
    `metrics: newest, and mean of the last ${last}`,
    ['', ...runs.map((_, index) => letter(index))],
    console,
    [
      ...metrics.map(({ name, runs: each }) => [
        name,
        ...runs.map(({ id }) => {
          const found = each.find(({ runId }) => runId === id);
          return found === undefined
            ? '–'
            : `${short(found.last ?? undefined)} (${short(found.tailMean ?? undefined)})`;
        }),
      ]),
    ],
  );
  groups.forEach(({ runIds, seeds }, group) => {
    if (runIds.length < 2) return;
    if (new Set(seeds).size === 1) {
      const names = runIds.map((id) => letter(runs.findIndex((run) => run.id === id))).join(', ');
      console.line(
        `\n${names}: the same options and the same seed, ${seeds[0]}; that gives no spread over seeds`,
      );
      return;
    }
    const rows = metrics.flatMap(({ name, groups: all }) => {
      const spread = all.find((one) => one.group === group)?.tailMean;
      return spread === null || spread === undefined
        ? []
        : [
            [
              name,
              `${short(spread.mean)} ± ${short(spread.std)}`,
              `${short(spread.min)} – ${short(spread.max)}`,
            ],
          ];
    });
    section(`over seeds ${seeds.join(', ')}`, ['', 'mean ± std', 'range'], console, rows);
  });
}

const letter = (index: number): string => String.fromCharCode(65 + (index % 26));

function section(
  title: string,
  heads: readonly string[],
  console: Console,
  rows: readonly (readonly string[])[],
): void {
  if (rows.length === 0) return;
  console.line(console.colors.bold(`\n${title}`));
  for (const line of alignColumns([heads, ...rows])) console.line(`  ${line}`);
}
