/**
 * @file What one state of the environment shows before anything is trained: whether the first message and a reply fit into
 * the context, and whether there are pictures to record.
 */
import { AppError, isAppError } from '@espalier/contracts';
import { listEnvironments, type SingleSpec } from '@espalier/contracts/mixing';
import { isolateRun } from './isolate-run.js';
import { measurePrompt, type PromptLengths } from '../plan/measure-prompt.js';
import type { PlannedRun } from './resolve-run.js';
import type { Registry } from '../workspace.js';

/** An environment of a run, and the model. */
interface RoomParts extends Pick<PlannedRun, 'model'> {
  readonly spec: SingleSpec;
  /** where the environment stands in the spec of the run */
  readonly path?: string;
}

/**
 * Refuses a run whose episodes could not even begin; the advice names only what can help.
 *
 * @throws config.impossible_budget
 */
export function requireRoom(
  { spec, model, path = 'environment' }: RoomParts,
  { first, closing }: Pick<PromptLengths, 'first' | 'closing'>,
): void {
  const { maxResponseTokens } = spec.rollout;
  const most = model.limits.contextLength;
  const context = Math.min(spec.rollout.contextTokens ?? most, most);
  const needed = first + maxResponseTokens + closing;
  if (needed <= context) return;
  const { use, ...options } = spec.environment;
  const names = Object.keys(options).map((name) => `${path}.${name}`);
  const shorter = context - first - closing;
  const ways = [
    ...(needed <= most ? [`raise rollout.contextTokens to at least ${needed}`] : []),
    ...(shorter >= 1 ? [`lower rollout.maxResponseTokens to at most ${shorter}`] : []),
    `shorten the observations of ${use}${names.length === 0 ? '' : ` (its options: ${names.join(', ')})`}`,
    ...(needed <= most ? [] : [`choose a model that reads more than ${most} tokens`]),
  ];
  throw new AppError(
    'config.impossible_budget',
    `rollout.contextTokens ${context}: the first message of ${path === 'environment' ? use : `${use} (${path})`} has ${first} tokens and a reply may have ${maxResponseTokens}, together ${needed} with the end of the turn; ${ways.join(', or ')}`,
    { details: { first, maxResponseTokens, context, needed } },
  );
}

/** An environment of a run, and whether it draws. */
export interface Drawing {
  readonly tag: string | undefined;
  readonly use: string;
  readonly hasPictures: boolean;
}

/**
 * Names the environments of a run with `rollout.images` whose turns have no pictures; refuses a run in which none has.
 *
 * @throws config.impossible_budget
 */
export function findWithoutPictures(drawings: readonly Drawing[]): string | undefined {
  const without = drawings.filter(({ hasPictures }) => !hasPictures);
  if (without.length === 0) return undefined;
  const names = new Set(
    without.map(({ tag, use }) => (tag === undefined || tag === use ? use : `${tag} (${use})`)),
  );
  const finding = `rollout.images: ${[...names].join(', ')} ${names.size === 1 ? 'draws' : 'draw'} no pictures`;
  if (without.length < drawings.length) return `${finding}; turns there have none`;
  throw new AppError(
    'config.impossible_budget',
    `${finding}; leave the option out, or give an environment a \`picture\``,
  );
}

/** A template that cannot be used is the model's fault, and no episode could begin. */
function leaveToRun(error: unknown): undefined {
  if (isAppError(error) && error.code === 'rollout.unsupported_template') throw error;
}

/**
 * As {@link requireRoom} and {@link findWithoutPictures}, measured on one state; gives what should be noted. An environment that fails or does not answer
 * in time is left to the run, which reports such things episode by episode.
 *
 * @throws config.impossible_budget, rollout.unsupported_template
 */
export async function validatePromptLength(
  planned: PlannedRun,
  registry: Registry,
): Promise<readonly string[]> {
  const plugins = await isolateRun(planned.spec, registry);
  const environments = listEnvironments(planned.spec);
  const measured = Promise.all(
    environments.map((one) => measurePrompt(one.spec, planned.model, plugins).catch(leaveToRun)),
  );
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), planned.spec.rollout.environmentTimeoutMs || 10_000);
  });
  const lengths = await Promise.race([measured, patience]).finally(async () => {
    clearTimeout(timer);
    await plugins.dispose();
  });
  const drawings: Drawing[] = [];
  environments.forEach(({ spec, path, tag }, index) => {
    const length = lengths?.[index];
    if (length === undefined) return;
    requireRoom({ spec, model: planned.model, path }, length);
    drawings.push({ tag, use: spec.environment.use, hasPictures: length.hasPictures });
  });
  const note = planned.spec.rollout.images ? findWithoutPictures(drawings) : undefined;
  return note === undefined ? [] : [note];
}
