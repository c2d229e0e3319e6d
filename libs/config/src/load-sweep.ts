/** @file Reads a sweep and expands it into variants and seeds. Whether a run of it can start is found when that is planned. */
import { dirname, isAbsolute, join, relative } from 'node:path';
import { AppError } from '@espalier/contracts';
import { nearestKey } from '@espalier/contracts/nearest-key';
import { isRecord } from '@espalier/contracts/values';
import { type ConfigInput, loadConfig } from './load-config.js';
import { describeIssues, inputSchema, locate, type Problem, throwProblems } from './problems.js';
import { type SweepRule, type SweepSpec, sweepSpecSchema } from './sweep-spec.js';

/** One setting of the options, run once for each seed. */
export interface SweepVariant {
  readonly name: string;
  /** the points of the grid that it is made of */
  readonly points: readonly string[];
  /** run configuration, as seen from the working directory */
  readonly config: string;
  /** assignments as of --set, without the seed */
  readonly overrides: readonly string[];
}

export interface Sweep {
  readonly name: string;
  readonly file: string;
  readonly spec: SweepSpec;
  readonly variants: readonly SweepVariant[];
}

/** More than a person means to start at once. */
const mostVariants = 1000;

/** Generates the JSON Schema of a sweep, for completion and validation in editors. */
export function generateSweepSchema(): Record<string, unknown> {
  return { ...inputSchema(sweepSpecSchema), $id: 'sweep.schema.json', title: 'Espalier sweep' };
}

/**
 * Loads a sweep and expands its grid.
 *
 * @param set assignments that apply to every run, last
 * @param input the file, where it has been read already
 * @throws config.unreadable, config.unknown_key, config.wrong_type with file and position
 */
export function loadSweep(path: string, set: readonly string[] = [], input = loadConfig(path)): Sweep {
  const parsed = sweepSpecSchema.safeParse(input.value);
  if (!parsed.success)
    throwProblems(describeIssues(input, [], sweepSpecSchema, input.value, parsed.error.issues));
  const spec = parsed.data as SweepSpec;
  const name = input.fileName ?? 'sweep';
  const variants = expandVariants(spec, input, set);
  requireKnownNames(spec, variants, input);
  return { name, file: relative('', path) || path, spec, variants };
}

interface Point {
  readonly name: string | undefined;
  readonly config?: string;
  readonly set: Readonly<Record<string, unknown>>;
}

/** The product of the axes, the last one fastest. */
function expandVariants(
  spec: Pick<SweepSpec, 'config' | 'set' | 'variants' | 'grid'>,
  input: Pick<ConfigInput, 'file' | 'positions' | 'origins'>,
  set: readonly string[] = [],
): SweepVariant[] {
  const axes = listAxes(spec);
  const count = axes.reduce((product, axis) => product * axis.length, 1);
  if (count > mostVariants)
    throw problem(input, 'grid', `makes ${count} variants; at most ${mostVariants} are started at once`);
  const products = axes.reduce<Point[][]>(
    (rows, axis) => rows.flatMap((row) => axis.map((point) => [...row, point])),
    [[]],
  );
  const variants = products.map((points) => combine(spec, points, input, set));
  const twice = variants.find((one, index) => variants.findIndex(({ name }) => name === one.name) !== index);
  if (twice !== undefined)
    throw problem(input, 'grid', `makes two variants named "${twice.name}"; use named points`);
  return variants;
}

function listAxes({ variants, grid }: Pick<SweepSpec, 'variants' | 'grid'>): Point[][] {
  const own = Object.entries(variants).map(([name, point]) => ({ name, ...point }));
  const axes = Object.entries(grid).map(([path, axis]): Point[] =>
    Array.isArray(axis)
      ? axis.map((value) => ({ name: nameOfValue(path, value), set: { [path]: value } }))
      : Object.entries(axis).map(([name, point]) => ({ name, ...withoutUndefined(point) })),
  );
  return [...axes, ...(own.length === 0 ? [] : [own.map(withoutUndefined)])];
}

const withoutUndefined = <T extends { config?: string | undefined }>({ config, ...rest }: T) => ({
  ...rest,
  ...(config === undefined ? {} : { config }),
});

/** `update.epochs`, 5 → `epochs-5`. */
function nameOfValue(path: string, value: unknown): string {
  const key = path.split('.').at(-1) ?? '';
  const text = isRecord(value) && 'use' in value ? String(value['use']) : JSON.stringify(value);
  const written = text.replace('.', 'p').replace(/^-/, 'minus');
  return toWord(`${key.replace(/(?<=[a-z])(?=[A-Z])/g, '-')}-${written}`);
}

const toWord = (text: string): string => (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('-');

function combine(
  spec: Pick<SweepSpec, 'config' | 'set'>,
  points: readonly Point[],
  input: Pick<ConfigInput, 'file' | 'positions' | 'origins'>,
  set: readonly string[],
): SweepVariant {
  const config = points.findLast((point) => point.config !== undefined)?.config ?? spec.config;
  const names = points.flatMap(({ name }) => name ?? []);
  const name = names.length === 0 ? 'base' : names.join('-');
  if (config === undefined)
    throw problem(
      input,
      'config',
      `is missing, and variant "${name}" names no configuration either; add config`,
    );
  const changes = [spec.set, ...points.map((point) => point.set)].flatMap((one) => Object.entries(one));
  const taken = changes.find(([path]) => path === 'seed' || path === 'name');
  if (taken !== undefined)
    throw problem(
      input,
      'set',
      `changes ${taken[0]}, which the sweep gives each run; use seeds, or rename the variant`,
    );
  return {
    name,
    points: names,
    config: isAbsolute(config) ? config : relative('', join(dirname(input.file), config)),
    overrides: [...changes.map(([path, value]) => `${path}=${JSON.stringify(value)}`), ...set],
  };
}

/** Rules and groups must name variants. */
function requireKnownNames(spec: SweepSpec, variants: readonly SweepVariant[], input: ConfigInput): void {
  const known = variants.map(({ name }) => name);
  const used = [
    ...spec.groups.flatMap((group, index) => group.map((name) => ({ name, path: `groups.${index}` }))),
    ...spec.claims.flatMap(({ rules }, index) =>
      rules.flatMap((rule, at) =>
        namesIn(rule).map((name) => ({ name, path: `claims.${index}.rules.${at}` })),
      ),
    ),
  ];
  const wrong = used.filter(({ name }) => !known.includes(name));
  throwProblems(
    wrong.map(({ name, path }): Problem => {
      const near = nearestKey(name, known);
      const remedy = near === undefined ? `variants are ${known.join(', ')}` : `did you mean "${near}"?`;
      return {
        code: 'config.wrong_type',
        path,
        message: `${locate(input, path)}: ${path} names "${name}", which is no variant; ${remedy}`,
      };
    }),
  );
}

/** The variants that a rule is about. */
export function namesIn(rule: SweepRule): string[] {
  if (rule.kind === 'difference') return [rule.first, rule.second].flat();
  return rule.kind === 'later' ? [rule.runs, rule.than].flat() : [rule.runs].flat();
}

const problem = (
  input: Pick<ConfigInput, 'file' | 'positions' | 'origins'>,
  path: string,
  finding: string,
): AppError =>
  new AppError('config.wrong_type', `${locate({ ...input, value: {} }, path)}: ${path} ${finding}`);
