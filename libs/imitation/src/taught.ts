/** @file What a warm start taught: kept beside the weights, and compared with what a run asks for. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { taughtFile } from '@espalier/contracts/model-choice';
import { saveWholeFile } from '@espalier/files';
import type { ModelDefinition } from '@espalier/plugin-kit';
import type { Demonstration } from './demonstration.js';

const promptOptions = ['preset', 'thinking', 'thinkStyle'] as const;

interface ShownPrompt {
  readonly preset?: string | undefined;
  readonly thinking?: string | undefined;
  readonly thinkStyle?: string | undefined;
}

interface Shown {
  readonly environment: { readonly use: string; readonly [option: string]: unknown };
  readonly prompt: ShownPrompt;
  readonly actionsPerTurn: number;
}

/** What a run asks of a model in one environment, as model plugins are asked. */
type ModelTask = Parameters<NonNullable<ModelDefinition<unknown>['warnings']>>[0];

/** Writes what the demonstrations showed into the folder of a model, after what the model that it `began` as was shown. */
export function saveTaught(
  folder: string,
  demonstrations: readonly Demonstration[],
  began: string | undefined,
): void {
  const earlier = began === undefined ? [] : (readTaught(join(began, taughtFile)) ?? []);
  const shown = demonstrations.map(({ environment, params, spec, limits }) => ({
    environment: { ...(params as object), use: environment.id },
    prompt: spec.rollout.prompt,
    actionsPerTurn: Math.min(spec.actionsPerTurn, limits.maxActionsPerTurn),
  }));
  saveWholeFile(
    join(folder, taughtFile),
    `${JSON.stringify({ demonstrations: [...earlier, ...shown] }, null, 2)}\n`,
  );
}

/**
 * Lists what a run asks for that the warm start of this model did not show, one sentence each; nothing of a folder that no
 * warm start made. Options are compared by value: some of them the model may never see.
 */
export function listUntaught(folder: string, { environment, rollout }: ModelTask): string[] {
  const path = join(folder, taughtFile);
  if (!existsSync(path)) return [];
  const all = readTaught(path);
  if (all === undefined)
    return [`model: ${path} is not what a warm start writes, so what the model was taught is not known`];
  const { use, ...options } = environment;
  const own = all.filter((one) => one.environment.use === use);
  if (own.length === 0) {
    const known = [...new Set(all.map((one) => one.environment.use))].join(', ');
    return [
      `environment.use: the warm start of this model taught ${known}, not ${use}; success may start near zero`,
    ];
  }
  const untaught = Object.entries(options).flatMap(([name, value]) =>
    compare(
      `environment.${name}`,
      value,
      own.map((one) => one.environment[name]),
    ),
  );
  const { prompt: asked } = rollout;
  for (const name of promptOptions)
    untaught.push(
      ...compare(
        `rollout.prompt.${name}`,
        asked[name],
        own.map((one) => one.prompt[name]),
      ),
    );
  const most = Math.max(...own.map(({ actionsPerTurn }) => actionsPerTurn));
  if (rollout.maxActionsPerTurn > most)
    untaught.push(
      `rollout.maxActionsPerTurn: the warm start of this model showed at most ${most} ${most === 1 ? 'action' : 'actions'} per reply, so it hardly uses ${rollout.maxActionsPerTurn}`,
    );
  return untaught.length > 0 ? untaught : listUntogether(environment, rollout, own);
}

/** What was shown, but never at once: the demonstration that comes nearest, and in what it differs. */
function listUntogether(
  { use, ...options }: ModelTask['environment'],
  { prompt, maxActionsPerTurn }: ModelTask['rollout'],
  own: readonly Shown[],
): string[] {
  const differences = own.map((one) => [
    ...Object.entries(options)
      .filter(([name, value]) => isOther(value, one.environment[name]))
      .map(([name]) => `environment.${name}`),
    ...promptOptions
      .filter((name) => isOther(prompt[name], one.prompt[name]))
      .map((name) => `rollout.prompt.${name}`),
    ...(maxActionsPerTurn > one.actionsPerTurn ? ['rollout.maxActionsPerTurn'] : []),
  ]);
  const [nearest = []] = differences.sort((a, b) => a.length - b.length);
  if (nearest.length === 0) return [];
  return [
    `environment: the warm start of this model showed all that this run asks of ${use}, but not together; the nearest demonstration has another ${nearest.join(' and another ')}; success may start lower`,
  ];
}

const isOther = (value: unknown, shown: unknown): boolean =>
  value !== undefined && shown !== undefined && !isDeepStrictEqual(shown, value);

/** A value that was shown nowhere; one that was not written down, then or now, is no difference. */
function compare(path: string, value: unknown, shown: readonly unknown[]): string[] {
  if (value === undefined || shown.some((one) => one === undefined)) return [];
  if (shown.some((one) => isDeepStrictEqual(one, value))) return [];
  const values = new Intl.ListFormat('en').format(new Set(shown.map((one) => JSON.stringify(one))));
  return [
    `${path}: the warm start of this model showed ${values}, this run has ${JSON.stringify(value)}; success may start lower`,
  ];
}

function readTaught(path: string): readonly Shown[] | undefined {
  try {
    const { demonstrations } = JSON.parse(readFileSync(path, 'utf8')) as {
      readonly demonstrations?: unknown;
    };
    return Array.isArray(demonstrations) && demonstrations.length > 0 && demonstrations.every(isShown)
      ? demonstrations
      : undefined;
  } catch {
    return undefined;
  }
}

function isShown(value: unknown): value is Shown {
  const { environment, prompt, actionsPerTurn } = (value ?? {}) as Partial<Shown>;
  return (
    typeof environment?.use === 'string' &&
    typeof prompt === 'object' &&
    prompt !== null &&
    typeof actionsPerTurn === 'number'
  );
}
