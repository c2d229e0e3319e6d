/** @file The think formats of VAGEN with the tokenizer of the built-in model, a real environment and the rewards that read them. */
import { fileURLToPath } from 'node:url';
import { resolvePrompt, type ThinkStyle } from '@espalier/contracts/prompt-format';
import { createScriptedEngine } from '@espalier/engine';
import { loadTokenizer } from '@espalier/model';
import { discoverPlugins } from '@espalier/plugin-host';
import type { Trajectory } from '@espalier/contracts';
import {
  bindReward,
  createContextFactory,
  promptOptionsOf,
  runEpisode,
  scoreTrajectory,
} from '@espalier/rollout';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const registry = await discoverPlugins({ root });
const tokenizer = loadTokenizer(`${root}/plugins/models/seedling/model`);
const lake = registry.get('environment', 'frozen-lake');
const params = lake.params.parse({ successRate: 1 });
const rewards = ['format', 'format-shaping', 'faithfulness', 'prediction'].map((id) => {
  const reward = registry.get('reward', id);
  return bindReward(reward, reward.params.parse({}), 1);
});

/** A state from which the first planned move is one down; where it leads. */
async function findStep(): Promise<{ state: number; facts: Record<string, [number, number]> }> {
  for (let state = 0; ; state++) {
    const instance = lake.create(params);
    await instance.reset({ state, noise: 0 });
    const plan = instance.oracle?.() ?? [];
    if (plan[0] === 'Down' && plan.length > 1)
      return { state, facts: instance.facts?.() as Record<string, [number, number]> };
  }
}

const { state, facts } = await findStep();
const [row, column] = facts['player'] ?? [0, 0];
const observation = `<observation>The player is at (${row}, ${column}).</observation>`;
const reasoning = '<reasoning>I go down.</reasoning>';
const prediction = `<prediction>The player is at (${row + 1}, ${column}).</prediction>`;

/** Plays one turn with a thought, under a style, and scores it. */
async function play(thinkStyle: ThinkStyle, thought: string): Promise<Trajectory> {
  const { policy } = createScriptedEngine({
    answer: ({ turn }) => (turn === 0 ? `${thought}</think><answer>Down</answer>` : 'hm</think>'),
    encode: (text) => tokenizer.encode(text),
  });
  const limits = { maxTurns: 2, maxActions: 2, maxActionsPerTurn: 1 };
  const prompt = resolvePrompt({ preset: 'seedling', thinkStyle });
  const options = promptOptionsOf(lake, params, { ...limits, prompt, maxResponseTokens: 128 });
  const trajectory = await runEpisode(
    {
      environment: lake.id,
      create: () => lake.create(params),
      contexts: createContextFactory(tokenizer, options),
      policy,
      sampling: {
        temperature: 1,
        topP: 1,
        topK: 0,
        maxTokens: 128,
        stopTokens: [tokenizer.endOfTurn],
        stopSequences: [],
      },
      contextTokens: 4000,
      format: 'exact',
      formatPenalty: -0.1,
      environmentTimeoutMs: 10_000,
      plans: false,
      images: false,
    },
    { split: 'train', step: 1, group: 0, index: 0, retry: 0, seeds: { state, noise: 1, sampling: 2 } },
  );
  return (await scoreTrajectory(trajectory, rewards)).trajectory;
}

/** Whether the first turn is valid, and what each reward gives the episode. */
async function outcome(thinkStyle: ThinkStyle, thought: string) {
  const { turns, score } = await play(thinkStyle, thought);
  const values = Object.entries(score.rewards).map(([id, { value }]) => [id, value]);
  return { isValid: turns[0]?.formatValid, ...Object.fromEntries(values) } as Record<
    string,
    number | boolean
  >;
}

it.each([
  ['free', 'I go down.'],
  ['state-estimation', observation + reasoning],
  ['transition-modelling', reasoning + prediction],
  ['world-modelling', observation + reasoning + prediction],
] as const)('%s finds valid what it demands, and nothing else', async (style, thought) => {
  expect((await outcome(style, thought))['isValid']).toBe(true);
  if (style === 'free') return;
  for (const other of ['I go down.', reasoning, `${thought} so`])
    expect((await outcome(style, other))['isValid'], other).toBe(false);
});

it('shapes towards the parts, one by one', async () => {
  const values = [];
  for (const thought of [
    'I go down.',
    observation,
    observation + reasoning,
    observation + reasoning + prediction,
  ])
    values.push(Number((await outcome('world-modelling', thought))['format-shaping']));
  expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
});

it('lets faithfulness read the observation and prediction the prediction, at their own tokens', async () => {
  const { turns, score, tokens } = await play('world-modelling', observation + reasoning + prediction);
  const textOf = (reward: string): string[] =>
    (score.evidence ?? [])
      .filter((one) => one.reward === reward && one.turn === 0)
      .map(({ start, end }) => tokenizer.decode(tokens.subarray(start, end)));
  expect(turns[0]?.formatValid).toBe(true);
  expect(score.rewards['prediction']?.value).toBeGreaterThan(0);
  expect(score.rewards['faithfulness']?.value).toBeGreaterThan(0);
  expect(textOf('prediction').join()).toContain(`(${row + 1}, ${column})`);
  expect(textOf('faithfulness').join()).toContain(`(${row}, ${column})`);
});

it('keeps no trace of the demand in what is stored', async () => {
  expect(await play('world-modelling', 'hm')).not.toHaveProperty('thinkParts');
});
