/**
 * @file `--set a.b=c` on top of a loaded configuration. Values are YAML; whether a path exists is decided
 * when the spec is resolved, where plugin options are known too.
 */
import { AppError, runSpecSchema } from '@espalier/contracts';
import { parse } from 'yaml';
import { isRecord, leaves } from './json.js';
import type { ConfigInput, Origin } from './load-config.js';

/**
 * Gives a configuration with the assignments applied from left to right.
 *
 * @param assignments `path=value`, e.g. `rollout.groups=4`, `rewards.1.weight=0.5`, `algorithm={use: grpo}`
 * @throws config.wrong_type when an assignment has no `=`, an empty part, or enters something that is no mapping
 */
export function applyOverrides(input: ConfigInput, assignments: readonly string[]): ConfigInput {
  const value = structuredClone(input.value) as Record<string, unknown>;
  const origins = new Map(input.origins);
  for (const assignment of assignments) {
    const [path, given] = parseAssignment(assignment);
    if (path.startsWith('rewards.')) value['rewards'] ??= runSpecSchema.shape.rewards.parse(undefined);
    assign(value, path.split('.'), given, assignment);
    for (const known of [...origins.keys()]) {
      if (known === path || known.startsWith(`${path}.`)) origins.delete(known);
    }
    for (const [leaf] of leaves(given, [path])) origins.set(leaf, '--set' satisfies Origin);
  }
  return { ...input, value, origins };
}

function parseAssignment(assignment: string): [path: string, value: unknown] {
  const split = assignment.indexOf('=');
  const path = assignment.slice(0, Math.max(split, 0)).trim();
  if (split < 0 || path === '' || path.split('.').includes('')) {
    throw new AppError(
      'config.wrong_type',
      `--set ${assignment}: not of the form path=value; write e.g. rollout.groups=4`,
    );
  }
  try {
    return [path, parse(assignment.slice(split + 1), { maxAliasCount: 0 }) as unknown];
  } catch (cause) {
    throw new AppError(
      'config.wrong_type',
      `--set ${assignment}: the value is not YAML; quote it, e.g. 'a.b="x: y"'`,
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
    const outside =
      Array.isArray(at) && !(Number.isInteger(Number(key)) && Number(key) >= 0 && Number(key) <= at.length);
    if (forbidden || outside) {
      throw new AppError(
        'config.unknown_key',
        `--set ${assignment}: there is no ${path.slice(0, depth + 1).join('.')}`,
      );
    }
    const container = at as Record<string, unknown>;
    if (depth === path.length - 1) {
      container[key] = value;
      return;
    }
    const next = container[key] ?? {};
    if (!isRecord(next) && !Array.isArray(next)) {
      throw new AppError(
        'config.wrong_type',
        `--set ${assignment}: ${path.slice(0, depth + 1).join('.')} is ${JSON.stringify(next)} and holds no keys; set it as a whole`,
      );
    }
    container[key] = next;
    at = next;
  });
}
