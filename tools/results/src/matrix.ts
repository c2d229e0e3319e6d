/**
 * @file What is to be shown: entries (a configuration, changes to it, how many seeds, how long it may take, what it
 * must reach) and grids of them, the models they start from where those have to be made first, and pairs of entries that are
 * drawn over each other. The matrix is a file, config/results.yaml.
 */
import { parse, relative } from 'node:path';
import { loadConfig } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import { z } from 'zod';
import { entriesOf, grid, name } from './grid.js';

const bar = z.union([
  z.strictObject({ success: z.number().gt(0).max(1), holdSteps: z.int().min(0) }),
  z.strictObject({ gain: z.number().gt(0).max(1) }),
]);

/**
 * A model that is made before the entries that start from it: by a script, by a warm start of an earlier one, or by a warm
 * start whose configuration names the student.
 */
const model = z.union([
  z.strictObject({
    name,
    title: z.string().min(1),
    /** run with Node, `--out FOLDER` comes last */
    script: z.string().min(1),
  }),
  z.strictObject({
    name,
    title: z.string().min(1),
    /** without it, the configuration of the warm start names its student */
    from: name.optional(),
    warmStart: z.string().min(1),
    set: z.array(z.string().min(1)).default([]),
  }),
]);

const entry = z.strictObject({
  name,
  title: z.string().min(1),
  config: z.string().min(1),
  set: z.array(z.string().min(1)).default([]),
  /** what a machine must have first, in Markdown */
  needs: z.string().min(1).optional(),
  /** one of `models`; without it the configuration says */
  model: name.optional(),
  seeds: z.int().min(1),
  minutes: z.number().gt(0),
  bar: bar.optional(),
  samples: z.boolean().default(false),
  /** an entry of the page named by the matrix's `compareWith`, to compare with seed by seed */
  compareWith: name.optional(),
});

const pair = z.strictObject({ name, title: z.string().min(1), entries: z.array(name).length(2) });

const matrix = z
  .strictObject({
    /** of the page */
    title: z.string().min(1).default('Results'),
    /** what the page says first, in Markdown */
    about: z.string().optional(),
    models: z.array(model).default([]),
    entries: z.array(entry).default([]),
    /** more entries, which the page also shows next to each other */
    grid: grid.optional(),
    pairs: z.array(pair).default([]),
    /** the page of another matrix, whose entries ours are compared with */
    compareWith: z.strictObject({ title: z.string().min(1), docs: z.string().min(1) }).optional(),
  })
  .transform((given) => {
    const inGrid: z.output<typeof entry>[] = given.grid === undefined ? [] : entriesOf(given.grid);
    return { ...given, entries: [...given.entries, ...inGrid] };
  })
  .superRefine(({ models, entries, pairs, compareWith }, context) => {
    if (entries.length === 0) context.addIssue('it has neither entries nor a grid');
    models.forEach((one, index) => {
      const earlier = models.slice(0, index).map((other) => other.name);
      if (earlier.includes(one.name)) context.addIssue(`the model "${one.name}" is named twice`);
      const start = startOf(one);
      if (start !== undefined && !earlier.includes(start))
        context.addIssue(`the model "${one.name}" starts from "${start}", which is none of those before it`);
    });
    for (const { name: owner, model: start } of entries)
      if (start !== undefined && models.every((one) => one.name !== start))
        context.addIssue(`the entry "${owner}" starts from "${start}", which is none of the models`);
    const names = entries.map((one) => one.name);
    const all = [...names, ...pairs.map((one) => one.name)];
    const twice = all.find((one, index) => all.indexOf(one) !== index);
    if (twice !== undefined) context.addIssue(`the name "${twice}" is used twice`);
    const missing = pairs.flatMap((one) => one.entries).find((one) => !names.includes(one));
    if (missing !== undefined) context.addIssue(`a pair names "${missing}", which is no entry`);
    const compared = entries.find((one) => one.compareWith !== undefined);
    if (compared !== undefined && compareWith === undefined)
      context.addIssue(
        `the entry "${compared.name}" has \`compareWith\`, but the matrix does not say which page that is on`,
      );
  });

/** What must be reached: a success rate that holds for so many iterations, or a gain over the start. */
export type Bar = z.output<typeof bar>;
/** One row of the matrix; seeds are 1, 2, … `seeds`. `minutes` is the budget of one seed. */
export type Entry = z.output<typeof entry>;
export type Model = z.output<typeof model>;
export type Pair = z.output<typeof pair>;
export type Matrix = z.output<typeof matrix> & {
  /** where it was read, for the commands of the report */
  readonly file: string;
};

export const usualMatrix = 'config/results.yaml';

/** The folders of runs and reports; a custom matrix never overwrites the reports of another. */
export function defaultFolders(file: string): { out: string; docs: string } {
  const suffix = relative('', file) === usualMatrix ? '' : `-${parse(file).name}`;
  return { out: `runs/results${suffix}`, docs: `docs/results${suffix}` };
}

/** Begins the command that runs a matrix again. */
export const commandFor = ({ file }: Pick<Matrix, 'file'>): string =>
  file === usualMatrix ? 'npm run results' : `npm run results -- --matrix ${file}`;

/**
 * Loads a matrix.
 *
 * @throws config.unreadable, config.wrong_type
 */
export function loadMatrix(path: string): Matrix {
  const parsed = matrix.safeParse(loadConfig(path).value);
  if (parsed.success) return { ...parsed.data, file: relative('', path) };
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw new AppError(
    'config.wrong_type',
    `read ${path}: ${place === '' ? '' : `${place}: `}${issue?.message}; correct the matrix`,
  );
}

/** The models that entries start from, each after the one it is made from. */
export function modelsOf({ models }: Pick<Matrix, 'models'>, entries: readonly Entry[]): Model[] {
  return models.filter(({ name: wanted }) =>
    entries.some((one) => lineage({ models }, one).some((made) => made.name === wanted)),
  );
}

/** The models that lead to the one an entry starts from, which comes last. */
export function lineage({ models }: Pick<Matrix, 'models'>, { model: start }: Pick<Entry, 'model'>): Model[] {
  const one = models.find((other) => other.name === start);
  if (one === undefined) return [];
  return [...lineage({ models }, { model: startOf(one) }), one];
}

/** The model that a warm start takes as its student, where the matrix names one. */
function startOf(one: Model): string | undefined {
  return 'warmStart' in one ? one.from : undefined;
}

/**
 * Picks the entry of a name, or where there is none all whose names begin with it and a dash, in the order asked for.
 *
 * @throws cli.usage when a word names none
 */
export function chooseEntries({ entries }: Matrix, only: readonly string[]): Entry[] {
  if (only.length === 0) return [...entries];
  const chosen = only.flatMap((word) => {
    const named = entries.find((one) => one.name === word);
    if (named !== undefined) return [named];
    const found = entries.filter((one) => one.name.startsWith(`${word}-`));
    if (found.length > 0) return found;
    const names = entries.map((one) => one.name).join(', ');
    throw new AppError('cli.usage', `choose --only ${word}: no such entry; entries are ${names}`);
  });
  return [...new Set(chosen)];
}
