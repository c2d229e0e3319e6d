/**
 * @file The smallest run: guess a hidden side in at most three turns, one group-relative or one critic algorithm,
 * a tokenizer of single characters. Only the engine is fake.
 */
import { join } from 'node:path';
import {
  type EventSink,
  type RunEvent,
  type RunSpec,
  runSpecSchema,
  type Tokenizer,
} from '@espalier/contracts';
import { defineAlgorithm, defineEnvironment, type DefinitionKinds, defineReward } from '@espalier/plugin-kit';
import { createMemorySink } from '@espalier/recorder';
import { z } from 'zod';
import type { PluginLookup } from '../bind-plugins.js';
import { createTrainer, type TrainerParts } from '../create-trainer.js';
import { createToyEngine, type ToyEngine, type ToyEngineOptions } from './toy-engine.js';

const end = 1;
const pieces = ['<pad>', '<end>', '<think>', '</think>', '<answer>', '</answer>'];

/** One token per character, tags and the end of a turn one token each. */
export const tinyTokenizer: Tokenizer = {
  vocabularySize: 70_000,
  endOfTurn: end,
  stopTokens: [end],
  pad: 0,
  encode: (text) =>
    Int32Array.from(text.match(/<\/?[a-z]+>|[^]/gu) ?? [], (part) => {
      const special = pieces.indexOf(part);
      return special >= 0 ? special : pieces.length + (part.codePointAt(0) ?? 0);
    }),
  decode: (tokens) =>
    Array.from(tokens, (id) => pieces[id] ?? String.fromCodePoint(id - pieces.length)).join(''),
  renderMessages: (messages, { generation }) =>
    messages.map(({ role, content }) => `[${role}]${content}<end>`).join('') +
    (generation ? '[assistant]' : ''),
};

const guess = defineEnvironment<{ failing?: boolean }>({
  id: 'guess',
  summary: 'Guess the hidden side.',
  params: z.custom<{ failing?: boolean }>(),
  instruction: () => 'Guess.',
  limits: () => ({ maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 }),
  create: ({ failing }) => {
    let side = 'Left';
    const see = () => ({ text: '?', actions: ['Left', 'Right'], stateKey: side });
    return {
      reset: ({ state }) => {
        side = state % 2 === 0 ? 'Left' : 'Right';
        return see();
      },
      step: (action) => {
        if (failing === true) throw new Error('out of order');
        const success = action === side;
        return {
          observation: see(),
          reward: success ? 1 : -0.25,
          done: success,
          success,
          valid: true,
          effective: true,
        };
      },
      render: () => side,
    };
  },
});

const total = defineReward({
  id: 'environment-return',
  summary: 'Sum of rewards.',
  params: z.object({}),
  score: (trajectory) => ({ perTurn: trajectory.turns.map((turn) => turn.reward) }),
});

interface TinyParams {
  readonly critic?: boolean;
  readonly critics?: number;
  readonly reference?: boolean;
  readonly keep?: number;
  readonly column?: string;
}

const tiny = defineAlgorithm<TinyParams>({
  id: 'tiny',
  summary: 'Total minus the mean of the group.',
  source: 'none',
  params: z.custom<TinyParams>(),
  needs: ({ critic = false, critics = 1, reference = false }) => ({ critic, critics, reference }),
  keptShare: () => 1,
  select: (groups, { keep }) => ({
    kept: groups.map((_, index) => index).slice(0, keep),
    reasons: groups.map(() => 'kept'),
  }),
  advantages: (trajectories, { critic }) => {
    const advantages = trajectories.map(({ group, total: own, rewards }) => {
      const totals = trajectories.filter((other) => other.group === group).map((other) => other.total);
      return new Float64Array(rewards.length).fill(
        own - totals.reduce((sum, value) => sum + value, 0) / totals.length,
      );
    });
    const returns = trajectories.map(({ rewards, total: own }) => new Float64Array(rewards.length).fill(own));
    return { advantages, ...(critic === true ? { returns } : {}), metrics: { seen: trajectories.length } };
  },
  policyLoss: ({ column, reference }) => ({
    id: 'tiny',
    params: {},
    build: undefined,
    columns: [
      'oldLogprobs',
      'advantages',
      ...(reference === true ? ['referenceLogprobs'] : []),
      ...(column ?? '').split(' ').filter(Boolean),
    ],
  }),
  valueLoss: () => ({ id: 'tiny-value', params: {}, columns: ['oldValues', 'returns'], build: undefined }),
});

const model = { folder: () => '/nowhere' };

/** Finds the tiny plugins. */
export const tinyRegistry: PluginLookup = {
  get: <Kind extends keyof DefinitionKinds>(kind: Kind) =>
    ({ environment: guess, reward: total, algorithm: tiny, model })[kind] as unknown as DefinitionKinds[Kind],
};

/** A resolved spec with changes by section. */
export function tinySpec(change: Record<string, unknown> = {}): RunSpec {
  const spec = runSpecSchema.parse({
    name: 'tiny',
    environment: { use: 'guess' },
    algorithm: { use: 'tiny' },
    rewards: [{ use: 'environment-return', weight: 1 }],
    steps: 4,
    rollout: { promptsPerStep: 3, groupSize: 4, prompt: { thinking: 'none' } },
    validation: { every: 2, episodes: 5 },
    checkpoint: { every: 2 },
    ...change,
  });
  return {
    ...spec,
    name: 'tiny',
    update: { ...spec.update, lossAggregation: spec.update.lossAggregation ?? 'token-mean' },
    rollout: { ...spec.rollout, maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 },
  } as RunSpec;
}

/** A toy engine that guesses Left with a share that is its weight. */
export function tinyEngine(options: Partial<ToyEngineOptions> = {}): ToyEngine {
  return createToyEngine({
    say: (draw, weight) => `${draw < weight ? 'Left' : 'Right'}</answer><end>`,
    encode: (text) => tinyTokenizer.encode(text),
    ...options,
  });
}

export interface TinyTraining {
  readonly spec?: Record<string, unknown>;
  readonly folder?: string;
  readonly resume?: boolean;
  /** checkpoint of another run, below `root` */
  readonly fork?: string;
  readonly engine?: ToyEngine;
  /** default: {@link tinyRegistry} */
  readonly registry?: PluginLookup;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
}

/** Trains in a folder below `root`; an error is part of what it gives. */
export async function trainTiny(root: string, training: TinyTraining = {}) {
  const memory = createMemorySink();
  const sink: EventSink = {
    ...memory,
    emit(event) {
      memory.emit(event);
      training.onEvent?.(event);
    },
  };
  const engine = training.engine ?? tinyEngine();
  const folder = join(root, training.folder ?? 'run');
  const parts: TrainerParts = {
    registry: training.registry ?? tinyRegistry,
    sink,
    folder,
    engine,
    tokenizer: tinyTokenizer,
    resume: training.resume ?? false,
    fork: training.fork === undefined ? undefined : join(root, training.fork),
  };
  const trainer = await createTrainer(tinySpec(training.spec), parts);
  try {
    const summary = await trainer.run(training.signal ?? new AbortController().signal);
    return { summary, engine, folder, events: memory.events };
  } catch (error) {
    return { error: error as Error, engine, folder, events: memory.events };
  } finally {
    await trainer.dispose();
  }
}
