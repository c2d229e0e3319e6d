import { AppError } from '@espalier/contracts';
import { type Comparison, models, type Setting, type TheoryModel } from '@espalier/theory';
import { Argument, type Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { collect, parseSeed } from '../parse-arguments.js';
import { drawCurves } from '../view/draw-curves.js';
import { requireSvg, savePicture } from '../view/save-picture.js';
import { alignColumns } from '../view/align-columns.js';

interface TheoryOptions {
  readonly set: readonly string[];
  readonly seed: number;
  readonly svg?: string;
  readonly quantity?: string;
  readonly json?: boolean;
}

/** Adds `espalier theory`. */
export function addTheoryCommand(program: Command, { console }: CommandContext): void {
  program
    .command('theory')
    .description('compute how training collapses in toy problems, and simulate it beside (seconds)')
    .addArgument(new Argument('[problem]', 'without one: all, as they stand').choices(Object.keys(models)))
    .option('--set <name=value>', 'change a setting of the problem; repeatable', collect, [])
    .option('--seed <seed>', 'of the simulation', parseSeed, 1)
    .option('--svg <file>', 'draw how a quantity changes over the steps')
    .option('--quantity <name>', 'what --svg draws (default: success)')
    .option('--json', 'print one JSON object per problem')
    .addHelpText('after', `\n${listSettings()}\nThe derivations: docs/learn/theory.md\n`)
    .addHelpText(
      'after',
      examples(
        ['theory', 'both problems'],
        ['theory shared-noise --set groupSize=32', 'with larger groups'],
        ['theory echo-trap --quantity trapped --svg trapped.svg', 'a picture'],
      ),
    )
    .action((problem: string | undefined, options: TheoryOptions) => {
      const { set, seed, svg, quantity, json } = options;
      if (problem === undefined && (set.length > 0 || svg !== undefined))
        throw new AppError(
          'cli.usage',
          'theory --set, --svg: settings and pictures belong to one problem; name it, as in "theory echo-trap"',
        );
      if (quantity !== undefined && svg === undefined)
        throw new AppError(
          'cli.usage',
          `theory --quantity ${quantity}: it says what --svg draws; name a file with --svg, or leave it out`,
        );
      if (svg !== undefined) requireSvg('theory', svg);
      for (const [name, model] of Object.entries(models)) {
        if (problem !== undefined && problem !== name) continue;
        const settings = chooseSettings(name, model, set);
        const result = model.run(settings, seed);
        if (svg !== undefined) {
          const wanted = quantity ?? 'success';
          const curves = result.curves.filter((curve) => curve.quantity === wanted);
          if (curves.length === 0) {
            const known = [...new Set(result.curves.map((curve) => curve.quantity))];
            throw new AppError('cli.usage', `theory --quantity ${wanted}: ${name} has ${known.join(', ')}`);
          }
          const lines = curves.map(({ setting, values }) => ({
            label: setting,
            runs: [values.map((value, step) => [step, value] as const)],
          }));
          savePicture('theory', svg, drawCurves(`${name}: ${wanted}, computed`, lines));
        }
        if (json === true) {
          console.line(JSON.stringify({ problem: name, settings, seed, ...result }));
          continue;
        }
        console.line(`${console.colors.bold(name)}: ${model.summary}`);
        for (const line of [...tableOf(result.comparisons), ...legendOf(result.comparisons)])
          console.line(line);
        if (svg !== undefined) console.line(`wrote ${svg}`);
      }
    });
}

/** What the last column means. */
function legendOf(comparisons: readonly Comparison[]): string[] {
  const hasLimit = comparisons.some(({ error }) => error === null);
  return [
    '  errors apart: standard errors of the simulation between computed and simulated; more than 3 is hardly chance',
    ...(hasLimit
      ? [
          '  limit: computed for infinitely many groups a step; the simulation has those of the setting, so the two differ',
        ]
      : []),
  ];
}

function listSettings(): string {
  const lines = Object.entries(models).flatMap(([name, { summary, settings }]) => [
    `${name}: ${summary}`,
    ...Object.entries(settings).map(
      ([setting, { value, about }]) => `  ${`${setting}=${value}`.padEnd(18)} ${about}`,
    ),
  ]);
  return `Problems and their settings:\n${lines.join('\n')}\n`;
}

/** Reads `name=value`. @throws cli.usage with the setting, its range or the names there are */
function chooseSettings(
  problem: string,
  { settings }: TheoryModel,
  words: readonly string[],
): Record<string, number> {
  const chosen = Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value]));
  for (const word of words) {
    const [name = '', text = ''] = word.split('=', 2);
    const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
    if (setting === undefined)
      throw new AppError(
        'cli.usage',
        `theory --set ${word}: ${problem} has no setting "${name}"; it has ${Object.keys(settings).join(', ')}`,
      );
    chosen[name] = parseSetting(word, text, setting);
  }
  return chosen;
}

function parseSetting(word: string, text: string, { least, most, isWhole }: Setting): number {
  const value = Number(text);
  const fits = text.trim() !== '' && value >= least && value <= most && (!isWhole || Number.isInteger(value));
  if (fits) return value;
  throw new AppError(
    'cli.usage',
    `theory --set ${word}: expected a ${isWhole ? 'whole number' : 'number'} from ${least} to ${most}`,
  );
}

/** A line per quantity: computed, simulated, and how many standard errors lie between. */
function tableOf(comparisons: readonly Comparison[]): string[] {
  const rows = comparisons.map(({ setting, quantity, exact, simulated, error }) => [
    setting,
    quantity,
    exact.toFixed(4),
    simulated.toFixed(4),
    error === null ? '–' : `± ${error.toFixed(4)}`,
    apart(exact, simulated, error),
  ]);
  const heads = ['setting', 'quantity', 'computed', 'simulated', 'error', 'errors apart'];
  return alignColumns([heads, ...rows], 2).map((line) => `  ${line}`);
}

function apart(exact: number, simulated: number, error: number | null): string {
  if (error === null) return 'limit';
  const distance = Math.abs(simulated - exact);
  return error > 0 ? (distance / error).toFixed(1) : distance < 1e-9 ? '0.0' : '∞';
}
