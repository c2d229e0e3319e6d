/**
 * @file What needs no model: one action always, legal actions at random, and the environment's own oracle, on the states
 * and within the budgets of the evaluation. Of the constant actions the best on these very states is told, which
 * flatters it.
 */
import { AppError, type Split } from '@espalier/contracts';
import type { TaggedSpec } from '@espalier/contracts/mixing';
import { rolloutSeeds } from '@espalier/rollout';
import { bindEnvironment, type PluginLookup } from '@espalier/trainer';
import {
  constant,
  constantsOf,
  followOracle,
  type Policy,
  playPolicy,
  random,
} from '../local/check/policies.js';
import type { Cell } from './result.js';
import { type PlayedCell, summarizeCell } from './summarize.js';

export const baselineNames = ['constant', 'random', 'oracle'] as const;
export type BaselineName = (typeof baselineNames)[number];

export interface BaselineRequest {
  readonly column: string;
  readonly environment: TaggedSpec;
  readonly registry: PluginLookup;
  readonly split: Exclude<Split, 'train'>;
  readonly states: number;
  readonly draws: number;
  readonly signal: AbortSignal;
}

/** Plays one baseline; what the environment does not offer is an error of the cell. */
export async function playBaseline(name: BaselineName, request: BaselineRequest): Promise<Cell> {
  try {
    if (name === 'constant') return await playConstants(request);
    const { oracle, sampleAction, first } = await look(request);
    if (name === 'oracle' && oracle === undefined) return missing(request, 'the environment has no oracle');
    if (name === 'random' && first.actions === undefined && sampleAction === undefined)
      return missing(request, 'the environment has neither a list of actions nor sampleAction');
    return summarizeCell(await play(name === 'oracle' ? followOracle() : random, request));
  } catch (error) {
    if (request.signal.aborted) throw error;
    return missing(request, error instanceof Error ? error.message : String(error));
  }
}

/** Plays one action in every state. */
export async function playConstant(action: string, request: BaselineRequest): Promise<Cell> {
  return { ...summarizeCell(await play(constant(action), request)), action };
}

const missing = ({ column }: BaselineRequest, error: string): Cell =>
  summarizeCell({ column, outcomes: [], failed: 0, error });

async function playConstants(request: BaselineRequest): Promise<Cell> {
  const cells: Cell[] = [];
  for (const action of constantsOf((await look(request)).first))
    cells.push(await playConstant(action, request));
  const best = (a: Cell, b: Cell): Cell => ((b.success?.value ?? -1) > (a.success?.value ?? -1) ? b : a);
  return cells.reduce(best);
}

async function look({ environment, registry, split }: BaselineRequest) {
  const { definition, params } = bindEnvironment(environment.spec, registry);
  const instance = definition.create(params);
  try {
    const { state, noise } = seedsOf(environment, split, definition.id, 0, 0);
    const first = await instance.reset({ state, noise });
    return { first, oracle: instance.oracle, sampleAction: instance.sampleAction };
  } finally {
    await instance.close?.();
  }
}

async function play(policy: Policy, request: BaselineRequest): Promise<PlayedCell> {
  const { column, environment, registry, split, states, draws, signal } = request;
  const { definition, params } = bindEnvironment(environment.spec, registry);
  const { maxTurns, maxActions, maxActionsPerTurn } = environment.spec.rollout;
  const most = Math.min(maxActions, maxTurns * maxActionsPerTurn);
  const outcomes: PlayedCell['outcomes'][number][] = [];
  for (let state = 0; state < states; state++)
    for (let draw = 0; draw < draws; draw++) {
      // lets a signal in; environments may never wait
      await new Promise(setImmediate);
      if (signal.aborted) throw new AppError('rollout.cancelled', `play ${policy.name}: cancelled`);
      const seeds = seedsOf(environment, split, definition.id, state, draw);
      const { total, success } = await playPolicy(definition, params, policy, seeds, most);
      outcomes.push({ stateSeed: seeds.state, success, total, formatShare: 1, sampledTokens: 0 });
    }
  return { column, outcomes, failed: 0 };
}

/** The seeds that a model has for the same episode. */
function seedsOf(
  { spec }: TaggedSpec,
  split: Exclude<Split, 'train'>,
  environment: string,
  group: number,
  index: number,
) {
  const { noiseSeed, promptsPerStep } = spec.rollout;
  const address = { runSeed: spec.seed, split, environment, step: 0, promptsPerStep, retry: 0, noiseSeed };
  return rolloutSeeds({ ...address, group, index });
}
