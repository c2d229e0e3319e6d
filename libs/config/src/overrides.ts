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
 * Applies assignments from left to right; the input is unchanged.
 *
 * @param assignments `path=value`, e.g. `rollout.promptsPerStep=4`, `rewards.1.weight=0.5`, `algorithm={use: grpo}`
 * @throws config.wrong_type when an assignment has no `=`, an empty part, or a path leads through a value that is not a mapping
 */
export function applyOverrides(input: ConfigInput, assignments: readonly string[]): ConfigInput {
  const value = structuredClone(input.value) as Record<string, unknown>;
  const origins = new Map(input.origins);
  for (const assignment of assignments) {
    const [path, given] = parseAssignment(assignment);
    if (path.startsWith('rewards.')) value['rewards'] ??= runSpecSchema.shape.rewards.parse(undefined);
    dropOtherModel(value, path, origins);
    assign(value, path.split('.'), given, assignment);
    for (const known of [...origins.keys()]) {
      if (known === path || known.startsWith(`${path}.`)) origins.delete(known);
    }
    for (const [leaf] of leaves(given, [path])) origins.set(leaf, '--set' satisfies Origin);
  }
  return { ...input, value, origins };
}

/** Naming a model replaces one that is named in another way, with its options. */
function dropOtherModel(value: Record<string, unknown>, path: string, origins: Map<string, Origin>): void {
  const key = modelKeys.find((name) => path === `model.${name}`);
  const { model } = value;
  if (key === undefined || !isRecord(model)) return;
  if (!modelKeys.some((name) => name !== key && name in model)) return;
  delete value['model'];
  for (const known of [...origins.keys()]) if (known.startsWith('model.')) origins.delete(known);
}

const shorten = (assignment: string): string =>
  assignment.length > 100 ? `${assignment.slice(0, 97)}...` : assignment;

function parseAssignment(assignment: string): [path: string, value: unknown] {
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
    return [path, parseValue(assignment.slice(split + 1))];
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
