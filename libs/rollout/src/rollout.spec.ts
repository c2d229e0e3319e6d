import type { RunSpec, SampleRequest, SpanKind, Turn } from '@espalier/contracts';
import { resolvePrompt } from '@espalier/contracts/prompt-format';
import { createScriptedEngine } from '@espalier/engine';
import type { EnvironmentInstance, UnscoredTrajectory } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import { createContextFactory } from './context.js';
import { type EpisodeSetup, runEpisode } from './rollout.js';
import { corridor, type CorridorParams } from './testing/corridor.js';
import { chatMl, createWordTokenizer } from './testing/word-tokenizer.js';

const tokenizer = createWordTokenizer(chatMl);
const right = 'go</think><answer>Right</answer><|im_end|>';
const left = 'go</think><answer>Left</answer><|im_end|>';
const both = 'go</think><answer>Right || right</answer><|im_end|>';
const lost = 'hm</think><answer>Fly</answer><|im_end|>';
const rocking = 'go</think><answer>Right || Left</answer><|im_end|>';

interface Change {
  readonly params?: Partial<CorridorParams>;
  readonly setup?: Partial<EpisodeSetup>;
  readonly limits?: Partial<{ maxTurns: number; maxActions: number; maxActionsPerTurn: number }>;
  readonly maxTokens?: number;
  readonly context?: RunSpec['rollout']['context'];
}

async function play(script: readonly string[], change: Change = {}): Promise<UnscoredTrajectory> {
  const { policy } = createScriptedEngine({
    answer: ({ turn }) => script[turn % script.length] ?? '',
    encode: (text) => tokenizer.encode(text),
  });
  const params = { failAt: 0, ...change.params };
  const limits = { ...corridor.limits(params), ...change.limits };
  const maxTokens = change.maxTokens ?? 64;
  const contexts = createContextFactory(tokenizer, {
    instruction: corridor.instruction(params),
    limits,
    format: resolvePrompt(),
    maxResponseTokens: maxTokens,
    context: change.context,
  });
  const setup: EpisodeSetup = {
    environment: corridor.id,
    create: () => corridor.create(params),
    contexts,
    policy,
    sampling: {
      temperature: 1,
      topP: 1,
      topK: 0,
      maxTokens,
      stopTokens: [tokenizer.endOfTurn],
      stopSequences: [],
    },
    contextTokens: 4000,
    format: 'exact',
    formatPenalty: -0.1,
    environmentTimeoutMs: 1000,
    plans: true,
    images: false,
    ...change.setup,
  };
  const seeds = { state: 41, noise: 42, sampling: 43 };
  return runEpisode(setup, { split: 'train', step: 2, group: 3, index: 1, retry: 0, seeds });
}

const textOf = (trajectory: UnscoredTrajectory, kinds: readonly SpanKind[]): string[] =>
  trajectory.spans
    .filter((span) => kinds.includes(span.kind))
    .map((span) => tokenizer.decode(trajectory.tokens.subarray(span.start, span.end)));

describe('runEpisode', () => {
  it('records a success over two turns', async () => {
    const trajectory = await play([right]);
    expect(trajectory).toMatchObject({ id: 'train/2/3/1', stopReason: 'success', success: true });
    expect(trajectory.turns.map((turn) => turn.reward)).toEqual([-0.1, 1]);
    expect(trajectory.turns[0]).toMatchObject({
      index: 0,
      observation: '_P_G',
      stateKey: '1',
      render: '_P_G',
      facts: { place: 1 },
      response: '<think>go</think><answer>Right</answer>',
      think: 'go',
      answer: 'Right',
      formatValid: true,
      parsedActions: ['Right'],
      actions: [{ text: 'Right', valid: true, effective: true, reward: -0.1, metrics: { place: 2 } }],
      formatPenalty: 0,
      sampleStop: 'stop',
      policyVersion: 0,
    });
    expect(trajectory.turns[1]).toMatchObject({ index: 1, observation: '__PG', facts: { place: 2 } });
  });

  it('ends its tokens with the last reply: no last state, no last reward', async () => {
    const trajectory = await play([right]);
    const text = tokenizer.decode(trajectory.tokens);
    expect(text.endsWith('<answer>Right</answer><|im_end|>')).toBe(true);
    expect(text.match(/Reward:/g)).toHaveLength(1);
    expect(textOf(trajectory, ['think', 'answer', 'control'])).toEqual([
      'go</think>',
      '<answer>Right</answer>',
      '<|im_end|>',
      'go</think>',
      '<answer>Right</answer>',
      '<|im_end|>',
    ]);
  });

  it('records a picture of every state, and samples as without', async () => {
    const draws = (params: CorridorParams): EnvironmentInstance => {
      const instance = corridor.create(params);
      return { ...instance, picture: () => Buffer.from(instance.render()) };
    };
    const create = (): EnvironmentInstance => draws({ failAt: 0 });
    const seen = await play([left, right, right], { setup: { create, images: true } });
    const blind = await play([left, right, right], { setup: { create } });
    const pictures = seen.turns.map(({ image = '' }) => Buffer.from(image, 'base64').toString());
    expect(pictures).toEqual(seen.turns.map(({ observation }) => observation));
    expect(seen.tokens).toEqual(blind.tokens);
    const plain = ({ image: _image, timings: _timings, ...turn }: Turn): object => turn;
    expect(seen.turns.map(plain)).toEqual(blind.turns.map(plain));
    expect(blind.turns[0]).not.toHaveProperty('image');
  });

  it('reports that there is no picture to record', async () => {
    const { stopReason, error } = await play([right], { setup: { images: true } });
    expect([stopReason, error]).toEqual(['error', expect.stringContaining('corridor draws no pictures')]);
  });

  it('goes without pictures where a tag of several draws none', async () => {
    const { stopReason, turns } = await play([right, right], { setup: { images: true, tag: 'dull' } });
    expect([stopReason, turns.length > 0]).toEqual(['success', true]);
    for (const turn of turns) expect(turn).not.toHaveProperty('image');
  });

  it('covers every token by exactly one span', async () => {
    const { spans, tokens, logprobs, entropies } = await play([lost, 'cut', right]);
    let end = 0;
    for (const span of spans) {
      expect(span.start).toBe(end);
      expect(span.end).toBeGreaterThan(span.start);
      end = span.end;
    }
    expect([end, logprobs.length, entropies.length]).toEqual([tokens.length, tokens.length, tokens.length]);
  });

  it('takes several actions of one answer and stops when the environment ends', async () => {
    const trajectory = await play(['x</think><answer>Right||Right||Left</answer><|im_end|>'], {
      limits: { maxActionsPerTurn: 3 },
    });
    expect(trajectory.turns).toHaveLength(1);
    expect(trajectory.turns[0]?.actions.map((action) => action.text)).toEqual(['Right', 'Right']);
    expect(trajectory.turns[0]?.reward).toBeCloseTo(0.9, 12);
  });

  it('reports failure when the environment ends without success', async () => {
    const trajectory = await play(['x</think><answer>Left || Left</answer><|im_end|>']);
    expect(trajectory).toMatchObject({ stopReason: 'failure', success: false });
  });

  it('shows the state again after an invalid turn, with reward 0 and a penalty', async () => {
    const trajectory = await play([lost, both]);
    const [invalid, next] = trajectory.turns;
    expect(invalid).toMatchObject({ actions: [], reward: 0, formatPenalty: -0.1, parsedActions: ['Fly'] });
    expect(next).toMatchObject({ observation: '_P_G', formatPenalty: 0 });
    const text = tokenizer.decode(trajectory.tokens);
    expect(text).toContain('Reward:\n0\nTurn 2:\nState:\n_P_G\nYou have 10 actions left.');
    expect(trajectory.stopReason).toBe('success');
  });

  it('ends by turns when replies never act', async () => {
    const trajectory = await play([lost]);
    expect(trajectory.stopReason).toBe('turns');
    expect(trajectory.turns).toHaveLength(5);
  });

  it('ends by turns above the action budget as well: a turn without an action uses none of it', async () => {
    const trajectory = await play([lost], { limits: { maxTurns: 4, maxActions: 2 } });
    expect([trajectory.stopReason, trajectory.turns.length]).toEqual(['turns', 4]);
  });

  it('ends by actions and cuts an answer to the actions left', async () => {
    const trajectory = await play([rocking], { limits: { maxActions: 3 } });
    expect(trajectory.stopReason).toBe('actions');
    expect(trajectory.turns.map((turn) => turn.actions.length)).toEqual([2, 1]);
    expect(trajectory.turns.map((turn) => turn.formatPenalty)).toEqual([0, 0]);
  });

  it('ends by context before a turn that does not fit, and stays within the limit', async () => {
    const whole = await play([lost]);
    const contextTokens = whole.tokens.length - 1;
    const trajectory = await play([lost], { setup: { contextTokens } });
    expect(trajectory.stopReason).toBe('context');
    expect(trajectory.turns).toHaveLength(4);
    expect(trajectory.tokens.length).toBeLessThanOrEqual(contextTokens);
    expect(tokenizer.decode(trajectory.tokens).endsWith('<|im_end|>')).toBe(true);
  });

  it('fails with a remedy when even the first turn does not fit', async () => {
    const trajectory = await play([lost], { setup: { contextTokens: 50 } });
    expect(trajectory.stopReason).toBe('error');
    expect(trajectory.error).toMatch(/raise rollout\.contextTokens/);
  });

  it('closes a reply that was cut by length and goes on', async () => {
    const trajectory = await play(['so long a thought without an end'], {
      maxTokens: 7,
      limits: { maxTurns: 2 },
    });
    expect(trajectory.turns[0]).toMatchObject({ sampleStop: 'length', formatValid: false, think: '' });
    expect(textOf(trajectory, ['think'])).toEqual(['so long', 'so long']);
    expect(tokenizer.decode(trajectory.tokens)).toContain('so long<|im_end|>\n<|im_start|>user\nReward:\n0');
  });

  it('turns an error of the environment into a recorded stop', async () => {
    const trajectory = await play([right], { params: { failAt: 2 } });
    expect(trajectory).toMatchObject({ stopReason: 'error', success: false });
    expect(trajectory.turns).toHaveLength(1);
    expect(trajectory.error).toBe(
      'environment corridor, turn 2 (state seed 41, noise seed 42): the floor broke',
    );
  });

  it('refuses a reward that is not finite', async () => {
    const trajectory = await play([right], { params: { failAt: 1, badReward: Number.NaN } });
    expect(trajectory.error).toMatch(/returned reward NaN; rewards must be finite/);
  });

  it('ends as cancelled when its signal fires, without an error', async () => {
    const trajectory = await play([right], { setup: { signal: AbortSignal.abort() } });
    expect(trajectory.stopReason).toBe('cancelled');
    expect(trajectory.error).toBeUndefined();
  });

  it('finishes the turn it is in when its signal fires, and begins no other', async () => {
    const stop = new AbortController();
    const instance = corridor.create({ failAt: 0 });
    const stopping = { ...instance, render: () => (stop.abort(), instance.render()) }; // before the reply is sampled
    const trajectory = await play([rocking], { setup: { signal: stop.signal, create: () => stopping } });
    expect(trajectory.stopReason).toBe('cancelled');
    expect(trajectory.turns.map(({ actions }) => actions.map(({ text }) => text))).toEqual([
      ['Right', 'Left'],
    ]);
  });

  it('gives each request the whole sequence so far as a prefix of the trajectory', async () => {
    const seen: Int32Array[] = [];
    const { policy } = createScriptedEngine({
      answer: ({ request }) => {
        seen.push(request.tokens);
        return right;
      },
      encode: (text) => tokenizer.encode(text),
    });
    const trajectory = await play([], { setup: { policy } });
    expect(seen).toHaveLength(2);
    for (const [turn, tokens] of seen.entries()) {
      expect(tokens.length).toBe(trajectory.turns[turn]?.sampled.start);
      expect(trajectory.tokens.slice(0, tokens.length)).toEqual(tokens);
    }
  });

  describe('with a window', () => {
    /** Plays five turns that lead nowhere; gives what was asked of the engine too. */
    async function playWindows(change: Change) {
      const requests: SampleRequest[] = [];
      const { policy } = createScriptedEngine({
        answer: ({ request }) => {
          requests.push(request);
          return rocking;
        },
        encode: (text) => tokenizer.encode(text),
      });
      const setup = { policy, sharesPrompt: true, ...change.setup };
      return { trajectory: await play([], { ...change, setup }), requests };
    }

    it.each([1, 2, 3])('of %i turns loses no turn and no reward', async (turns) => {
      const { trajectory: whole } = await playWindows({});
      const { trajectory } = await playWindows({ context: { turns, whenFull: 'end' } });
      const kept = (turn: Turn): unknown[] => [
        turn.index,
        turn.response,
        turn.stateKey,
        turn.plan,
        turn.actions,
        turn.reward,
        turn.formatPenalty,
      ];
      expect(trajectory.turns.map(kept)).toEqual(whole.turns.map(kept));
      expect(trajectory.turns.map(({ reward }) => reward)).toEqual([-0.2, -0.2, -0.2, -0.2, -0.2]);
      expect([trajectory.stopReason, trajectory.labels]).toEqual([whole.stopReason, whole.labels]);
      expect(textOf(trajectory, ['think', 'answer', 'control'])).toEqual(
        textOf(whole, ['think', 'answer', 'control']),
      );
      expect(whole).not.toHaveProperty('windows');
      expect(trajectory.windows).toHaveLength(6 - turns);
    });

    it('asks for each reply with the tokens that stand before it in its window', async () => {
      const { trajectory, requests } = await playWindows({ context: { turns: 2, whenFull: 'end' } });
      const { windows = [], turns, tokens } = trajectory;
      expect(requests).toHaveLength(5);
      for (const [index, { sampled }] of turns.entries()) {
        const { start = 0 } = windows.findLast((window) => window.start < sampled.start) ?? {};
        expect(requests[index]?.tokens).toEqual(tokens.slice(start, sampled.start));
      }
      // the prompts of a group are equal in the first window only
      expect(requests.map(({ sharedPrefix = 0 }) => sharedPrefix > 0)).toEqual([
        true,
        true,
        false,
        false,
        false,
      ]);
    });

    it('draws anew in each window, though its positions have been drawn before', async () => {
      const seedsOf = async (context: NonNullable<Change['context']>) =>
        (await playWindows({ context })).requests.map(({ seed }) => seed);
      expect(new Set(await seedsOf({ turns: 'all', whenFull: 'truncate' }))).toEqual(new Set([43]));
      const alone = await seedsOf({ turns: 1, whenFull: 'end' });
      expect(alone[0]).toBe(43);
      expect(new Set(alone).size).toBe(5);
      expect(await seedsOf({ turns: 1, whenFull: 'end' })).toEqual(alone);
    });

    it('goes on where the context is full and the oldest turns may be left out', async () => {
      const { trajectory: whole } = await playWindows({});
      // room for a reply of 64 tokens and the end of its turn
      const contextTokens = (whole.turns[2]?.sampled.start ?? 0) + 65;
      const ended = await playWindows({ setup: { contextTokens } });
      expect([ended.trajectory.stopReason, ended.trajectory.turns.length]).toEqual(['context', 3]);
      const context = { turns: 'all', whenFull: 'truncate' } as const;
      const { trajectory, requests } = await playWindows({ context, setup: { contextTokens } });
      expect([trajectory.stopReason, trajectory.turns.length]).toEqual(['actions', 5]);
      expect(trajectory.turns.reduce((sum, { reward }) => sum + reward, 0)).toBeCloseTo(-1, 12);
      for (const { tokens } of requests) expect(tokens.length + 64).toBeLessThanOrEqual(contextTokens);
      expect(trajectory.windows?.[0]).toEqual({ start: 0, firstTurn: 0 });
      expect(trajectory.windows?.length).toBeGreaterThan(1);
    });

    it('ends by context where one turn alone does not fit', async () => {
      const create = (): EnvironmentInstance => {
        const inner = corridor.create({ failAt: 0 });
        const grow = async (action: string) => {
          const result = await inner.step(action);
          return { ...result, observation: { ...result.observation, text: 'x'.repeat(4000) } };
        };
        return { ...inner, step: grow };
      };
      const context = { turns: 'all', whenFull: 'truncate' } as const;
      const { trajectory } = await playWindows({ context, setup: { create } });
      expect([trajectory.stopReason, trajectory.turns.length]).toEqual(['context', 1]);
    });
  });

  it('records the plan of each turn and labels what went wrong', async () => {
    const { turns, labels } = await play([left, right, lost], { limits: { maxTurns: 3 } });
    expect(turns.map(({ plan }) => plan?.length)).toEqual([2, 3, 2]);
    expect(labels).toEqual([
      { name: 'format-failure', turn: 2 },
      { name: 'misplanning', turn: 0 },
      { name: 'budget-exhausted', turn: 2 },
    ]);
    const blind = await play([left, right, lost], { limits: { maxTurns: 3 }, setup: { plans: false } });
    expect(blind.turns.every((turn) => turn.plan === undefined)).toBe(true);
    expect(blind.labels.map(({ name }) => name)).toEqual(['format-failure', 'budget-exhausted']);
  });

  it('records what the environment tells of chance', async () => {
    const create = (): EnvironmentInstance => {
      const inner = corridor.create({ failAt: 0 });
      return { ...inner, step: async (action) => ({ ...(await inner.step(action)), slipped: true }) };
    };
    const { turns, labels } = await play([left], { setup: { create } });
    expect(turns.at(-1)?.actions).toMatchObject([{ text: 'Left', slipped: true }]);
    expect(labels.map(({ name }) => name)).toEqual(['unlucky-slip']);
  });

  it('does not label failed rollouts', async () => {
    expect((await play([right], { params: { failAt: 1 } })).labels).toEqual([]);
  });
});

describe('an episode that repeats the turns of a trajectory', () => {
  it('samples only what follows them', async () => {
    const played = await play([right, left, right, right]);
    const replies = played.turns.slice(0, 2).map(({ sampled: { start, end }, sampleStop }) => ({
      tokens: played.tokens.slice(start, end),
      logprobs: played.logprobs.slice(start, end),
      entropies: played.entropies.slice(start, end),
      stop: sampleStop,
      policyVersion: 0,
    }));
    const stateKeys = played.turns.slice(0, 3).map(({ stateKey }) => stateKey);
    const continued = await play([right], { setup: { repeated: { replies, stateKeys } } });
    expect(continued.turns.map(({ actions }) => actions.map(({ text }) => text))).toEqual([
      ['Right'],
      ['Left'],
      ['Right'],
      ['Right'],
    ]);
    const before = played.turns[2]?.sampled.start;
    expect(continued.tokens.slice(0, before)).toEqual(played.tokens.slice(0, before));
    expect(continued.textEnds?.slice(0, before)).toEqual(played.textEnds?.slice(0, before));
    const elsewhere = await play([right], {
      setup: { repeated: { replies, stateKeys: ['1', '2', 'nowhere'] } },
    });
    expect(elsewhere.error).toContain('repeat the replies before turn 3: they lead to another state');
  });
});
