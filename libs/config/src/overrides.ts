/**
 * @file Applies `--set a.b=c` to a loaded configuration. Values are YAML. Resolving the spec checks whether a path exists,
 * because only then plugin options are known.
 */
import { AppError, runSpecSchema } from '@espalier/contracts';
import { modelKeys } from '@espalier/contracts/model-choice';
import { isRecord } from '@espalier/contracts/values';
import { leaves, quote } from './json.js';
import { type ConfigInput, type Origin, parseValue } from './load-config.js';

/** More than the deepest option needs. */
const maxParts = 16;

/**
 * Applies assignments from left to right; the input is unchanged. One that names another model takes the place of the
 * model of the input, wherever it stands among those of the options of the new one.
 *
 * @param assignments `path=value`, e.g. `rollout.promptsPerStep=4`, `rewards.1.weight=0.5`, `algorithm={use: grpo}`
 * @throws config.wrong_type when an assignment has no `=`, an empty part, or a path leads through a value that is not a mapping
 */
export function applyOverrides(input: ConfigInput, assignments: readonly string[]): ConfigInput {
  const value = structuredClone(input.value) as Record<string, unknown>;
  const origins = new Map(input.origins);
  const parsed = assignments.map(parseAssignment);
  const naming = findNaming(parsed);
  for (const [index, [path, given, assignment]] of parsed.entries()) {
    if (index === naming?.from) dropOtherModel(value, naming, origins);
    if (index >= (naming?.from ?? Infinity) && isModelKey(path) && path !== naming?.path) continue;
    // a copy: what is assigned would else become the default of every later spec in this process
    if (path.startsWith('rewards.'))
      value['rewards'] ??= structuredClone(runSpecSchema.shape.rewards.parse(undefined));
    assign(value, path.split('.'), given, assignment);
    for (const known of [...origins.keys()]) {
      if (known === path || known.startsWith(`${path}.`)) origins.delete(known);
    }
    for (const [leaf] of leaves(given, [path])) origins.set(leaf, '--set' satisfies Origin);
  }
  return { ...input, value, origins };
}

type Assignment = readonly [path: string, value: unknown, written: string];

/** The assignment that names the model. */
interface Naming {
  readonly path: string;
  readonly name: unknown;
  /** index of the first assignment after those that set the model as a whole */
  readonly from: number;
}

const isModelKey = (path: string): boolean => modelKeys.some((key) => path === `model.${key}`);

/** The last assignment that names a model is the one that counts. */
function findNaming(assignments: readonly Assignment[]): Naming | undefined {
  const from = assignments.findLastIndex(([path]) => path === 'model') + 1;
  const [path, name] = assignments.slice(from).findLast(([its]) => isModelKey(its)) ?? [];
  return path === undefined ? undefined : { path, name, from };
}

/** Naming another model replaces the present one, with its options and its revision. */
function dropOtherModel(
  value: Record<string, unknown>,
  { path, name }: Naming,
  origins: Map<string, Origin>,
): void {
  const { model } = value;
  if (!isRecord(model) || model[path.slice('model.'.length)] === name) return;
  delete value['model'];
  for (const known of [...origins.keys()]) if (known.startsWith('model.')) origins.delete(known);
}

const shorten = (assignment: string): string =>
  assignment.length > 100 ? `${assignment.slice(0, 97)}...` : assignment;

function parseAssignment(assignment: string): Assignment {
  const split = assignment.indexOf('=');
  const path = assignment.slice(0, Math.max(split, 0)).trim();
  const parts = path.split('.');
  if (split < 0 || path === '' || parts.includes('') || parts.length > maxParts) {
    throw new AppError(
      'config.wrong_type',
      `--set ${shorten(assignment)}: expected path=value, e.g. rollout.promptsPerStep=4`,
    );
  }
  try {
    return [path, parseValue(assignment.slice(split + 1)), assignment];
  } catch (cause) {
    throw new AppError(
      'config.wrong_type',
      `--set ${shorten(assignment)}: the value is not YAML (${(cause as Error).message}); quote it, e.g. 'a.b="x: y"'`,
      { cause },
    );
  }
}

function assign(
  root: Record<string, unknown>,
  path: readonly string[],
  value: unknown,
  assignment: string,
): void {
  let at: Record<string, unknown> | unknown[] = root;
  path.forEach((key, depth) => {
    const forbidden = key === '__proto__' || key === 'constructor' || key === 'prototype';
    const outside = Array.isArray(at) && !(/^(0|[1-9]\d*)$/.test(key) && Number(key) <= at.length);
    if (forbidden || outside) {
      throw new AppError(
        'config.unknown_key',
        `--set ${shorten(assignment)}: there is no ${path.slice(0, depth + 1).join('.')}`,
      );
    }
    const container = at as Record<string, unknown>;
    if (depth === path.length - 1) {
      container[key] = value;
      return;
    }
    const next = (Object.hasOwn(container, key) ? container[key] : undefined) ?? {};
    if (!isRecord(next) && !Array.isArray(next)) {
      throw new AppError(
        'config.wrong_type',
        `--set ${shorten(assignment)}: ${path.slice(0, depth + 1).join('.')} is ${quote(next)} and has no keys; set it as a whole`,
      );
    }
    container[key] = next;
    at = next;
  });
}

/** Whether `--set` gave an option, or one inside it. @param sources of leaves, by path */
export function isOverridden(sources: Iterable<readonly [string, string]>, path: string): boolean {
  for (const [leaf, source] of sources)
    if (source === '--set' && (leaf === path || leaf.startsWith(`${path}.`))) return true;
  return false;
}
