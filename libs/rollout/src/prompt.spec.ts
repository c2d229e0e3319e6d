import { runSpecSchema } from '@espalier/contracts';
import { demandedParts, resolvePrompt } from '@espalier/contracts/prompt-format';
import { describe, expect, it } from 'vitest';
import { createContext } from './context.js';
import { answerPlaceholder, type PromptOptions } from './prompt.js';
import { chatMl, createWordTokenizer, headerStyle, type TestTemplate } from './testing/word-tokenizer.js';

const base = {
  instruction: 'Reach G.',
  limits: { maxTurns: 5, maxActions: 10, maxActionsPerTurn: 2 },
  maxResponseTokens: 64,
};
const observation = { text: 'P_G', legend: { P: 'player', G: 'goal' }, actions: ['Left', 'Right'] };

function open(choice: Parameters<typeof resolvePrompt>[0], template: TestTemplate = chatMl) {
  const tokenizer = createWordTokenizer(template);
  const options: PromptOptions = { ...base, format: resolvePrompt(choice) };
  const context = createContext(tokenizer, options);
  context.appendObservation({ observation, actionsLeft: 10 });
  return { tokenizer, context, text: tokenizer.decode(context.tokens()) };
}

const parse = (prompt: unknown) =>
  runSpecSchema.safeParse({ environment: { use: 'a' }, algorithm: { use: 'b' }, rollout: { prompt } });

describe('rollout.prompt', () => {
  it('fills every text and leaves out the empty ones', () => {
    const { text } = open({
      system: 'Play, {maxTurns} turns.',
      symbols: '',
      actions: 'Pick from {actions} ({separator} between them, {maxActionsPerTurn} at most).',
      actionLimit: { many: '' },
      turn: '[{turn}] {state} [{actionsLeft}] {formatDemand}',
      actionsLeft: { many: '{actionsLeft} of {maxActions}' },
      formatDemand: 'Answer.',
      actionSeparator: ';',
      thinking: 'optional',
    });
    expect(text).toBe(
      '<|im_start|>system\nPlay, 5 turns.<|im_end|>\n<|im_start|>user\nReach G.\n' +
        'Pick from Left, Right (; between them, 2 at most).\n[1] P_G [10 of 10] Answer.<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  it('does not read placeholders in what the environment says', () => {
    const tokenizer = createWordTokenizer(chatMl);
    const context = createContext(tokenizer, { ...base, instruction: '{state}', format: resolvePrompt() });
    context.appendObservation({ observation: { text: '{turn}' }, actionsLeft: 1 });
    const text = tokenizer.decode(context.tokens());
    expect(text).toContain('user\n{state}\n');
    expect(text).toContain('State:\n{turn}\n');
  });

  it('puts examples before the first observation as turns of the chat', () => {
    const fewShot = [{ user: 'Turn 1: A', assistant: '<think>x</think><answer>Left</answer>' }];
    const { text } = open({ fewShot });
    expect(text).toMatch(
      /^<\|im_start\|>system\nYou are a helpful agent\.<\|im_end\|>\n<\|im_start\|>user\nTurn 1: A<\|im_end\|>\n<\|im_start\|>assistant\n<think>x<\/think><answer>Left<\/answer><\|im_end\|>\n<\|im_start\|>user\nReach G\./,
    );
    const spans = open({ fewShot }).context.spans();
    expect(spans.every(({ kind }) => kind === 'template' || kind === 'observation')).toBe(true);
  });

  it('puts the system text before the first example where a template has no system role', () => {
    const noSystem: TestTemplate = {
      ...headerStyle,
      render: (messages, generation) =>
        headerStyle.render(
          messages.filter(({ role }) => role !== 'system'),
          generation,
        ),
    };
    const fewShot = [{ user: 'Turn 1: A', assistant: 'Left' }];
    const { text } = open({ fewShot }, noSystem);
    expect(text.match(/You are a helpful agent\./g)).toHaveLength(1);
    expect(text).toContain('You are a helpful agent.\nTurn 1: A');
  });

  it.each([
    ['required', '<think>', 'a</think><answer>Left</answer>', ['think', 'answer']],
    ['optional', '', '<think>a</think><answer>Left</answer>', ['think', 'answer']],
    ['optional', '', '<answer>Left</answer>', ['answer']],
    ['template', '', '<answer>Left</answer>', ['answer']],
    ['none', '<answer>', 'Left</answer>', ['answer']],
  ] as const)('with thinking %s replies begin with "%s": %s', (thinking, forced, sampled, kinds) => {
    const { tokenizer, context, text } = open({ thinking });
    expect(text.endsWith(`assistant\n${forced}`)).toBe(true);
    const { response } = context.appendSampled({ tokens: tokenizer.encode(`${sampled}<|im_end|>`) });
    expect(response).toBe(forced + sampled);
    const found = context.spans().map(({ kind }) => kind);
    expect(found.filter((kind) => kind === 'think' || kind === 'answer')).toEqual(kinds);
  });

  it('keeps the tag of a template that opens the reasoning itself', () => {
    const opening: TestTemplate = {
      ...chatMl,
      render: (messages, generation) => chatMl.render(messages, generation) + (generation ? '<think>\n' : ''),
    };
    const { tokenizer, context } = open({ thinking: 'template' }, opening);
    const { response } = context.appendSampled({
      tokens: tokenizer.encode('a</think><answer>Left</answer>'),
    });
    expect(response).toBe('<think>a</think><answer>Left</answer>');
  });

  it.each([
    ['Reply <answer>...</answer>.', '...'],
    ['Reply <answer> [your answer] </answer>', '[your answer]'],
    ['Reply like <answer>(3 + 4) * 2</answer>', ''],
    ['Reply like <answer>Up</answer>', ''],
    ['Reply like <answer>[3, 4]</answer>', ''],
    ['Reply inside <answer> tags.', ''],
  ])('finds what stands for an answer in %s', (formatDemand, placeholder) => {
    expect(answerPlaceholder({ formatDemand })).toBe(placeholder);
  });

  it.each([
    [{ turn: 'Turn {turn}' }, 'expected a text with {state}'],
    [{ turn: '' }, 'expected a text with {state}'],
    [{ turn: '{state} {stat}' }, 'unknown placeholder {stat}; use {turn}, {state}'],
    [{ actions: 'Actions:' }, 'expected a text with {actions}'],
  ])('refuses %j', (prompt, message) => {
    expect(parse(prompt).error?.issues[0]?.message).toContain(message);
  });

  it.each([
    ['state-estimation', ['observation', 'reasoning']],
    ['transition-modelling', ['reasoning', 'prediction']],
    ['world-modelling', ['observation', 'reasoning', 'prediction']],
  ] as const)('with %s demands the parts %j in each preset, and thoughts', (thinkStyle, parts) => {
    for (const preset of ['seedling', 'ragen', 'plain'] as const) {
      const format = resolvePrompt({ preset, thinkStyle });
      expect(format.thinking).toBe('required');
      expect(demandedParts(format)).toEqual(parts);
      const tags = [...format.formatDemand.matchAll(/<(observation|reasoning|prediction)>/g)];
      expect(tags.map(([, name]) => name)).toEqual(parts);
      expect(open({ preset, thinkStyle }).text).toContain(format.formatDemand);
    }
    const own = resolvePrompt({ thinkStyle, formatDemand: 'Think aloud.' });
    expect([own.formatDemand, demandedParts(own)]).toEqual(['Think aloud.', parts]);
  });

  it('refuses parts of a think block that there need not be', () => {
    for (const thinking of ['none', 'optional', 'template']) {
      const { error } = parse({ thinking, thinkStyle: 'world-modelling' });
      expect(error?.issues[0]).toMatchObject({
        path: ['rollout', 'prompt', 'thinkStyle'],
        message: `world-modelling demands parts of the think block, and \`thinking\` is ${thinking}; set \`thinking: required\`, or leave out one of them`,
      });
    }
    expect(parse({ thinking: 'none', thinkStyle: 'free' }).success).toBe(true);
    expect(parse({ thinkStyle: 'wm' }).success).toBe(false);
  });

  it('refuses a separator that would be part of a tag or a space', () => {
    for (const actionSeparator of ['', ' ', ' |', '<', '|>'])
      expect(parse({ actionSeparator }).success, actionSeparator).toBe(false);
    for (const actionSeparator of ['|', '||', 'and then'])
      expect(parse({ actionSeparator }).success, actionSeparator).toBe(true);
  });

  it('is complete once it is resolved, and resolving it again changes nothing', () => {
    const { prompt } = parse({ preset: 'plain', thinking: 'none' }).data!.rollout;
    expect(prompt).toEqual(resolvePrompt(prompt));
    expect(prompt.formatDemand).toBe(resolvePrompt({ preset: 'plain', thinking: 'none' }).formatDemand);
    expect(parse(prompt).data!.rollout.prompt).toEqual(prompt);
  });
});
