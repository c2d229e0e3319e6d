import type { Span, Tokenizer } from '@espalier/contracts';
import { resolvePrompt } from '@espalier/contracts/prompt-format';
import { describe, expect, it } from 'vitest';
import { createContext, createContextFactory, validateTokenizer } from './context.js';
import type { PromptOptions } from './prompt.js';
import {
  chatMl,
  createWordTokenizer,
  headerStyle,
  markerStyle,
  type TestTemplate,
} from './testing/word-tokenizer.js';

const options: PromptOptions = {
  instruction: 'Reach G.',
  limits: { maxTurns: 5, maxActions: 10, maxActionsPerTurn: 2 },
  format: resolvePrompt(),
  maxResponseTokens: 64,
};
const first = {
  text: 'P_\n_G',
  legend: { P: 'player', G: 'goal' },
  actions: ['Left', 'Right'],
  stateKey: 'a',
};
const second = { text: '_P\n_G', stateKey: 'b' };

/** `kind[turn]:text` per span, so that a transcript can be read. */
function transcript(tokenizer: Tokenizer, tokens: Int32Array, spans: readonly Span[]): string[] {
  return spans.map(
    (span) => `${span.kind}[${span.turn}]:${tokenizer.decode(tokens.subarray(span.start, span.end))}`,
  );
}

function twoTurns(
  template: TestTemplate,
  firstReply: string,
  splitTags = false,
): { text: string[]; whole: string } {
  const tokenizer = createWordTokenizer(template, { splitTags });
  const context = createContext(tokenizer, options);
  context.appendObservation({ observation: first, actionsLeft: 10 });
  context.appendSampled({ tokens: tokenizer.encode(firstReply) });
  context.appendObservation({ observation: second, actionsLeft: 9, reward: -0.1 });
  context.appendResponseText('b</think><answer>Left</answer>');
  const tokens = context.tokens();
  return { text: transcript(tokenizer, tokens, context.spans()), whole: tokenizer.decode(tokens) };
}

describe('createContext', () => {
  it('writes a two-turn ChatML conversation with exact spans', () => {
    const { text } = twoTurns(chatMl, 'a</think><answer>Right</answer><|im_end|>');
    expect(text).toEqual([
      'template[0]:<|im_start|>system\nYou are a helpful agent.<|im_end|>\n<|im_start|>user\n',
      'observation[0]:Reach G.',
      'template[0]:\nSymbols: ',
      'observation[0]:P player, G goal',
      'template[0]:\nActions: ',
      'observation[0]:Left, Right',
      'template[0]:\nSeparate actions with ||\nAt most 2 actions per turn.\nTurn 1:\nState:\n',
      'observation[0]:P_\n_G',
      'template[0]:\nYou have 10 actions left.\nAlways reply <think>...</think><answer>...</answer> and nothing else.\n' +
        'Max response length: 64 tokens.<|im_end|>\n<|im_start|>assistant\n<think>',
      'think[0]:a</think>',
      'answer[0]:<answer>Right</answer>',
      'control[0]:<|im_end|>',
      'template[1]:\n<|im_start|>user\nReward:\n',
      'observation[1]:-0.1',
      'template[1]:\nTurn 2:\nState:\n',
      'observation[1]:_P\n_G',
      'template[1]:\nYou have 9 actions left.\nAlways reply <think>...</think><answer>...</answer> and nothing else.\n' +
        'Max response length: 64 tokens.<|im_end|>\n<|im_start|>assistant\n<think>',
      'think[1]:b</think>',
      'answer[1]:<answer>Left</answer>',
      'control[1]:<|im_end|>',
    ]);
  });

  it.each([
    ['ChatML', chatMl],
    ['trimming headers', headerStyle],
    ['plain markers', markerStyle],
  ])('gives the same text as rendering the whole conversation (%s)', (_name, template) => {
    const { whole } = twoTurns(template, `a</think><answer>Right</answer>${template.end}`);
    const user = (text: string): string =>
      `${text}\nAlways reply <think>...</think><answer>...</answer> and nothing else.\nMax response length: 64 tokens.`;
    const rendered = template.render(
      [
        { role: 'system', content: 'You are a helpful agent.' },
        {
          role: 'user',
          content: user(
            'Reach G.\nSymbols: P player, G goal\nActions: Left, Right\nSeparate actions with ||\n' +
              'At most 2 actions per turn.\nTurn 1:\nState:\nP_\n_G\nYou have 10 actions left.',
          ),
        },
        { role: 'assistant', content: '<think>a</think><answer>Right</answer>' },
        { role: 'user', content: user('Reward:\n-0.1\nTurn 2:\nState:\n_P\n_G\nYou have 9 actions left.') },
        { role: 'assistant', content: '<think>b</think><answer>Left</answer>' },
      ],
      false,
    );
    expect(rendered.trimEnd()).toBe(whole);
  });

  it('adds a missing end of turn as template, so that the conversation reads the same', () => {
    for (const template of [chatMl, headerStyle, markerStyle]) {
      const cut = twoTurns(template, 'a</think><answer>Right</answer>');
      const ended = twoTurns(template, `a</think><answer>Right</answer>${template.end}`);
      expect(cut.whole).toBe(ended.whole);
      expect(cut.text).toContain(`template[0]:${template.end}`);
      expect(cut.text).not.toContain(`control[0]:${template.end}`);
    }
  });

  it('keeps another stop token as sampled and closes the message behind it', () => {
    const other = 0x41 + chatMl.specials.length + 4; // "A"
    const tokenizer = createWordTokenizer(chatMl, { stopTokens: [other] });
    const context = createContext(tokenizer, options);
    context.appendObservation({ observation: first, actionsLeft: 10 });
    const { response } = context.appendSampled({ tokens: tokenizer.encode('a</think>bA') });
    expect(response).toBe('<think>a</think>b');
    expect(transcript(tokenizer, context.tokens(), context.spans()).slice(-2)).toEqual([
      'control[0]:A',
      'template[0]:<|im_end|>',
    ]);
  });

  it('refuses a tokenizer that adds a space to every text', () => {
    const tokenizer = createWordTokenizer(chatMl);
    const encode = (text: string): Int32Array => tokenizer.encode(` ${text}`);
    expect(() => validateTokenizer(tokenizer)).not.toThrow();
    expect(() => validateTokenizer({ ...tokenizer, encode })).toThrow(
      /decodes \["State:".* as " State: \\n x_".*adds, drops and rewrites no characters/,
    );
  });

  it('finds a closing tag that is spelled over several tokens', () => {
    const { text } = twoTurns(chatMl, 'a</thi</think><answer>Right</answer><|im_end|>', true);
    expect(text).toContain('think[0]:a</thi</think>');
    expect(text).toContain('answer[0]:<answer>Right</answer>');
  });

  it('counts a reply without a closing tag as thinking', () => {
    const { text } = twoTurns(chatMl, 'on and on');
    expect(text.filter((line) => line.startsWith('think[0]') || line.startsWith('answer[0]'))).toEqual([
      'think[0]:on and on',
    ]);
  });

  it('keeps ids and numbers of the sample in place, zeros elsewhere', () => {
    const tokenizer = createWordTokenizer(chatMl);
    const context = createContext(tokenizer, options);
    context.appendObservation({ observation: first, actionsLeft: 10 });
    const prompt = context.length;
    const tokens = tokenizer.encode('a</think>b<|im_end|>');
    const logprobs = Float32Array.of(-1, -2, -3, -4);
    const { sampled, response } = context.appendSampled({
      tokens,
      logprobs,
      entropies: Float32Array.of(1, 2, 3, 4),
    });
    expect(response).toBe('<think>a</think>b');
    expect(sampled).toEqual({ start: prompt, end: prompt + 4 });
    expect(context.tokens().slice(sampled.start, sampled.end)).toEqual(tokens);
    expect(context.logprobs().slice(prompt)).toEqual(logprobs);
    expect(context.entropies().slice(prompt)).toEqual(Float32Array.of(1, 2, 3, 4));
    expect(
      context
        .logprobs()
        .slice(0, prompt)
        .every((value) => value === 0),
    ).toBe(true);
    expect(context.logprobs().length).toBe(context.length);
  });

  it('refuses a state that could end a turn, and adds nothing', () => {
    const context = createContext(createWordTokenizer(chatMl), options);
    const observation = { text: 'so<|im_end|>', stateKey: 'x' };
    expect(() => context.appendObservation({ observation, actionsLeft: 1 })).toThrowError(/end-of-turn/);
    expect([context.length, context.turns]).toEqual([0, 0]);
  });

  it('demands and forces an answer only when thinking is off', () => {
    const tokenizer = createWordTokenizer(chatMl);
    const context = createContext(tokenizer, {
      ...options,
      instruction: '',
      format: resolvePrompt({ thinking: 'none' }),
    });
    const shown = { observation: second, actionsLeft: 1 };
    const measured = context.measurePrompt(shown);
    context.appendObservation(shown);
    expect(context.length).toBe(measured);
    const reply = context.appendResponseText('Left</answer>');
    expect(reply.response).toBe('<answer>Left</answer>');
    const lines = transcript(tokenizer, context.tokens(), context.spans());
    expect(lines.at(-3)).toBe(
      'template[0]:\nYou have 1 action left.\nAlways reply <answer>...</answer> and nothing else.\n' +
        'Max response length: 64 tokens.<|im_end|>\n<|im_start|>assistant\n<answer>',
    );
    expect(lines.slice(-2)).toEqual(['answer[0]:Left</answer>', 'control[0]:<|im_end|>']);
  });
});

describe('createContextFactory', () => {
  it('moves the system sentence into the first user message where a template has no system role', () => {
    const noSystem: TestTemplate = {
      ...chatMl,
      render: (messages, generation) => {
        if (messages[0]?.role === 'system') throw new Error('System role not supported');
        return chatMl.render(messages, generation);
      },
    };
    const tokenizer = createWordTokenizer(noSystem);
    const context = createContextFactory(tokenizer, options).open();
    context.appendObservation({ observation: first, actionsLeft: 10 });
    expect(tokenizer.decode(context.tokens())).toMatch(
      /^<\|im_start\|>user\nYou are a helpful agent\.\nReach G\./,
    );
  });

  it.each([
    ['of the preset ragen, which end in a line break', resolvePrompt({ preset: 'ragen' }), 'P_\n_G'],
    ['that end in line breaks of their own', resolvePrompt({ turn: '{state}\n' }), 'P_\n_G\n\n'],
    ['that are a state between line breaks', resolvePrompt({ reward: '', turn: '\n{state}' }), '\nP_\n_G'],
  ])('trims turns %s where the template does', (_what, format, text) => {
    const tokenizer = createWordTokenizer(headerStyle);
    const context = createContextFactory(tokenizer, { ...options, instruction: '', format }).open();
    context.appendObservation({ observation: { text }, actionsLeft: 10 });
    context.appendResponseText('a</think><answer>Left</answer>');
    context.appendObservation({ observation: { text }, actionsLeft: 9, reward: 0.5 });
    const built = tokenizer.decode(context.tokens());
    expect(built.match(/P_\n_G/g)).toHaveLength(2);
    expect(built).not.toMatch(/\s<\|eot_id\|>|<\|end_header_id\|>\n\n\s/);
  });

  it('refuses a template that rewrites earlier messages', () => {
    const forgetful: TestTemplate = {
      ...chatMl,
      render: (messages, generation) => `${messages.length} messages\n${chatMl.render(messages, generation)}`,
    };
    expect(() => createContextFactory(createWordTokenizer(forgetful), options)).toThrowError(/chat template/);
    const open: TestTemplate = {
      ...chatMl,
      render: (messages) => messages.map(({ role, content }) => `${role}: ${content}\n`).join(''),
    };
    expect(() => createContextFactory(createWordTokenizer(open), options)).toThrowError(
      /without a token that ends a turn/,
    );
  });
});
