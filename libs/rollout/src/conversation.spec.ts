import type { RunSpec } from '@espalier/contracts';
import { resolvePrompt } from '@espalier/contracts/prompt-format';
import { describe, expect, it } from 'vitest';
import { createContext, createContextFactory, type EpisodeContext } from './context.js';
import type { PromptOptions } from './prompt.js';
import { chatMl, createWordTokenizer, headerStyle, markerStyle } from './testing/word-tokenizer.js';

type Context = RunSpec['rollout']['context'];

const optionsOf = (context?: Context): PromptOptions => ({
  instruction: 'Reach G.',
  limits: { maxTurns: 9, maxActions: 10, maxActionsPerTurn: 2 },
  format: resolvePrompt(),
  maxResponseTokens: 64,
  context,
});
const tokenizer = createWordTokenizer(chatMl);
const stateOf = (turn: number) => ({
  text: `place ${turn}`,
  stateKey: String(turn),
  // told once, as many environments do
  ...(turn === 0 ? { legend: { P: 'player' }, actions: ['Left', 'Right'] } : {}),
});

/** Plays turns with a reply and a reward of its own each; gives the prompt of every turn. */
function playTurns(context: EpisodeContext, count: number, room = Infinity): Int32Array[] {
  return Array.from({ length: count }, (_, turn) => {
    const shown = { observation: stateOf(turn), actionsLeft: 10 - turn, reward: turn / 10 };
    const measured = context.measurePrompt(shown, room);
    context.appendObservation(shown, room);
    const prompt = context.prompt();
    expect(prompt).toHaveLength(measured);
    const tokens = tokenizer.encode(`t${turn}</think><answer>Left</answer><|im_end|>`);
    const logprobs = new Float32Array(tokens.length).fill(-1 - turn);
    context.appendSampled({ tokens, logprobs, entropies: logprobs.map((value) => -value) });
    return prompt;
  });
}

const textsOf = (prompts: readonly Int32Array[]): string[] => prompts.map((ids) => tokenizer.decode(ids));
/** What a prompt says of turns: the headings in it, and the replies. */
const turnsIn = (text: string): string[] => text.match(/Turn \d+|t\d+(?=<\/think>)/g) ?? [];

describe('a conversation that keeps all turns', () => {
  it('has one window, whose prompts only grow', () => {
    const context = createContext(tokenizer, optionsOf());
    const prompts = playTurns(context, 3);
    expect(context.windows()).toEqual([{ start: 0, firstTurn: 0 }]);
    prompts.forEach((prompt) => expect(context.tokens().subarray(0, prompt.length)).toEqual(prompt));
    const same = createContext(tokenizer, optionsOf({ turns: 'all', whenFull: 'truncate' }));
    expect(playTurns(same, 3)).toEqual(prompts);
    expect(same.spans()).toEqual(context.spans());
  });
});

describe('a conversation that keeps the last turns', () => {
  it('shows the last two with their own numbers, and the replies as they were sampled', () => {
    const context = createContext(tokenizer, optionsOf({ turns: 2, whenFull: 'end' }));
    const texts = textsOf(playTurns(context, 4));
    expect(texts.map(turnsIn)).toEqual([
      ['Turn 1'],
      ['Turn 1', 't0', 'Turn 2'],
      ['Turn 2', 't1', 'Turn 3'],
      ['Turn 3', 't2', 'Turn 4'],
    ]);
    expect(texts[3]).toBe(
      '<|im_start|>system\nYou are a helpful agent.<|im_end|>\n<|im_start|>user\nReach G.\nSymbols: P player\n' +
        'Actions: Left, Right\nSeparate actions with ||\nAt most 2 actions per turn.\nTurn 3:\nState:\nplace 2\n' +
        'You have 8 actions left.\nAlways reply <think>...</think><answer>...</answer> and nothing else.\n' +
        'Max response length: 64 tokens.<|im_end|>\n<|im_start|>assistant\n<think>t2</think><answer>Left</answer>' +
        '<|im_end|>\n<|im_start|>user\nReward:\n0.3\nTurn 4:\nState:\nplace 3\nYou have 7 actions left.\n' +
        'Always reply <think>...</think><answer>...</answer> and nothing else.\nMax response length: 64 tokens.' +
        '<|im_end|>\n<|im_start|>assistant\n<think>',
    );
    expect(context.windows().map(({ firstTurn }) => firstTurn)).toEqual([0, 1, 2]);
  });

  it('shows one turn alone', () => {
    const context = createContext(tokenizer, optionsOf({ turns: 1, whenFull: 'end' }));
    const texts = textsOf(playTurns(context, 3));
    expect(texts.map(turnsIn)).toEqual([['Turn 1'], ['Turn 2'], ['Turn 3']]);
    for (const text of texts) expect(text).toContain('Reach G.\nSymbols: P player\nActions: Left, Right\n');
    expect(texts.join('')).not.toContain('Reward:');
  });

  it('counts each reply once: only its own tokens are sampled, with its own log-probabilities', () => {
    for (const turns of [1, 2, 3] as const) {
      const context = createContext(tokenizer, optionsOf({ turns, whenFull: 'end' }));
      playTurns(context, 5);
      const tokens = context.tokens();
      const sampled = context.spans().filter(({ kind }) => kind !== 'template' && kind !== 'observation');
      expect(sampled.map(({ kind, turn }) => `${kind} ${turn}`)).toEqual(
        [0, 1, 2, 3, 4].flatMap((turn) => [`think ${turn}`, `answer ${turn}`, `control ${turn}`]),
      );
      const logs = context.logprobs();
      for (const { start, end, turn } of sampled)
        expect(new Set(logs.subarray(start, end))).toEqual(new Set([-1 - turn]));
      const isSampled = (t: number): boolean => sampled.some(({ start, end }) => start <= t && t < end);
      expect([...logs].every((value, t) => isSampled(t) || value === 0)).toBe(true);
      // every token has a span, states that are shown again are template, and each state is observed once
      let end = 0;
      for (const span of context.spans()) {
        expect(span.start).toBe(end);
        end = span.end;
      }
      expect(end).toBe(tokens.length);
      const observed = context
        .spans()
        .filter(({ kind }) => kind === 'observation')
        .map((span) => tokenizer.decode(tokens.subarray(span.start, span.end)));
      expect(observed.filter((text) => text.startsWith('place'))).toEqual(
        [0, 1, 2, 3, 4].map((turn) => `place ${turn}`),
      );
      expect(observed.filter((text) => text === 'Reach G.')).toHaveLength(1);
    }
  });

  it.each([
    ['ChatML', chatMl],
    ['trimming headers', headerStyle],
    ['plain markers', markerStyle],
  ])('prompts with one turn as a conversation that begins there would (%s)', (_name, template) => {
    const own = createWordTokenizer(template);
    const alone = createContext(own, optionsOf({ turns: 1, whenFull: 'end' }));
    const whole = createContext(own, optionsOf());
    const first = { observation: { ...stateOf(0), text: 'here' }, actionsLeft: 5 };
    alone.appendObservation(first);
    alone.appendResponseText('a</think><answer>Left</answer>');
    alone.appendObservation(first);
    whole.appendObservation(first);
    expect(own.decode(alone.prompt())).toBe(own.decode(whole.prompt()).replace('Turn 1', 'Turn 2'));
  });
});

describe('a conversation that leaves out turns when the context is full', () => {
  const lengths = playTurns(createContext(tokenizer, optionsOf()), 4).map(({ length }) => length);
  const [, , third = 0, fourth = 0] = lengths;

  it('leaves out as few of the oldest as fit', () => {
    const context = createContext(tokenizer, optionsOf({ turns: 'all', whenFull: 'truncate' }));
    const texts = textsOf(playTurns(context, 4, fourth - 1));
    expect(texts.map(turnsIn)).toEqual([
      ['Turn 1'],
      ['Turn 1', 't0', 'Turn 2'],
      ['Turn 1', 't0', 'Turn 2', 't1', 'Turn 3'],
      ['Turn 2', 't1', 'Turn 3', 't2', 'Turn 4'],
    ]);
    expect(context.windows()).toHaveLength(2);
  });

  it('goes on with the shorter window while it fits, and with one turn where no more do', () => {
    const context = createContext(tokenizer, optionsOf({ turns: 3, whenFull: 'truncate' }));
    // a little less than three turns need, since later ones say 9 instead of 10
    playTurns(context, 4, third - 3);
    expect(context.windows().map(({ firstTurn }) => firstTurn)).toEqual([0, 1, 2]);
    const narrow = createContext(tokenizer, optionsOf({ turns: 3, whenFull: 'truncate' }));
    const texts = textsOf(playTurns(narrow, 3, 10));
    expect(texts.map(turnsIn)).toEqual([['Turn 1'], ['Turn 2'], ['Turn 3']]);
  });

  it('leaves out nothing where the episode is to end', () => {
    const context = createContext(tokenizer, optionsOf({ turns: 'all', whenFull: 'end' }));
    playTurns(context, 4, 10);
    expect(context.windows()).toHaveLength(1);
  });
});

describe('a template that rewrites earlier replies', () => {
  const rewriting = {
    ...chatMl,
    render: (messages: Parameters<typeof chatMl.render>[0], generation: boolean): string =>
      chatMl.render(
        messages.map((message, index) =>
          message.role === 'assistant' && index < messages.length - 1
            ? { ...message, content: message.content.split('</think>').at(-1) ?? '' }
            : message,
        ),
        generation,
      ),
  };

  it('is refused where a prompt has replies, and serves where it has one turn', () => {
    const own = createWordTokenizer(rewriting);
    expect(() => createContextFactory(own, optionsOf())).toThrow(/rollout\.context\.turns: 1/);
    expect(() => createContextFactory(own, optionsOf({ turns: 1, whenFull: 'end' }))).not.toThrow();
  });
});
