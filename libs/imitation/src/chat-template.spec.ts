import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSpecSchema, type Tokenizer, warmStartSpecSchema } from '@espalier/contracts';
import { resolvePrompt } from '@espalier/contracts/prompt-format';
import { createTokenizer, trainTokenizer } from '@espalier/model';
import { createContext, validateTokenizer } from '@espalier/rollout';
import { createMemorySink } from '@espalier/recorder';
import { describe, expect, it } from 'vitest';
import { createTrainer, evaluateModel } from '@espalier/trainer';
import { tinyEngine, tinyRegistry, tinySpec, tinyTokenizer } from '../../trainer/src/testing/tiny-run.js';
import { resolveDemonstrations } from './demonstration.js';

const options = {
  instruction: 'Reach G.',
  limits: { maxTurns: 3, maxActions: 6, maxActionsPerTurn: 1 },
  format: resolvePrompt({ thinking: 'none' }),
  maxResponseTokens: 32,
};

/** The branches of Qwen3's template, one on `tools is not none` and a variable of its own. */
const qwen3 =
  '{%- if tools %}<|im_start|>system\n# Tools\n{% for tool in tools %}{{ tool.name }}\n{% endfor %}<|im_end|>\n{%- endif %}' +
  '{%- if tools is not none %}TOOLS GIVEN{%- endif %}' +
  '{%- if date_string is defined %}Today: {{ date_string }}\n{%- endif %}' +
  "{%- for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{{ '\n' }}{%- endfor %}" +
  "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}" +
  "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\n\n</think>\n\n' }}{%- endif %}{%- endif %}";

describe('rollout.template', () => {
  const files = trainTokenizer({ corpus: [], phrases: [], vocabularySize: 300, contextLength: 128 });
  const tokenizer = createTokenizer({ ...files, config: { ...files.config, chat_template: qwen3 } });
  const promptOf = (template: object | undefined): string => {
    const spec = { environment: { use: 'a' }, algorithm: { use: 'b' }, rollout: { template } };
    const context = createContext(tokenizer, {
      ...options,
      template: runSpecSchema.parse(spec).rollout.template,
    });
    context.appendObservation({ observation: { text: 'P_G' }, actionsLeft: 6 });
    return tokenizer.decode(context.tokens());
  };

  it('leaves the template to itself by default, without tools', () => {
    const prompt = promptOf(undefined);
    expect(prompt).toMatch(/^<\|im_start\|>system\nYou are/);
    expect(prompt).toMatch(/<\|im_end\|>\n<\|im_start\|>assistant\n<answer>$/);
  });

  it('hands over enable_thinking', () => {
    const closed = /<\|im_start\|>assistant\n<think>\n\n<\/think>\n\n<answer>$/;
    expect(promptOf({ enableThinking: false })).toMatch(closed);
    expect(promptOf({ enableThinking: true })).toBe(promptOf(undefined));
  });

  it('hands over tools and other variables', () => {
    const prompt = promptOf({ variables: { tools: [{ name: 'search' }], date_string: '1 May 2025' } });
    expect(prompt).toMatch(
      /^<\|im_start\|>system\n# Tools\nsearch\n<\|im_end\|>TOOLS GIVENToday: 1 May 2025/,
    );
  });

  it.each(['messages', 'add_generation_prompt', 'enable_thinking', '1a'])(
    'refuses the variable %s',
    (name) => {
      expect(() => promptOf({ variables: { [name]: 1 } })).toThrow(/Invalid key in record/);
    },
  );

  it('reaches training, validation, evaluation and warm starts', async () => {
    const seen = new Set<string>();
    const noting = {
      ...tinyTokenizer,
      renderMessages: (...[messages, given]: Parameters<Tokenizer['renderMessages']>) => {
        seen.add(JSON.stringify(given.variables));
        return tinyTokenizer.renderMessages(messages, given);
      },
    };
    const rollout = { ...tinySpec().rollout, template: { enableThinking: false, variables: { a: 1 } } };
    const spec = { ...tinySpec({ steps: 1 }), rollout };
    const folder = mkdtempSync(join(tmpdir(), 'espalier-template-'));
    const trainer = await createTrainer(spec, {
      registry: tinyRegistry,
      sink: createMemorySink(),
      folder: join(folder, 'run'),
      engine: tinyEngine(),
      tokenizer: noting,
    });
    await trainer.run(new AbortController().signal);
    await trainer.dispose();
    rmSync(folder, { recursive: true });
    const passed = ['{"a":1,"enable_thinking":false}'];
    expect([...seen]).toEqual(passed);
    seen.clear();
    await evaluateModel({
      spec,
      registry: tinyRegistry,
      folder: '',
      engine: tinyEngine(),
      tokenizer: noting,
    });
    expect([...seen]).toEqual(passed);
    const { template } = rollout;
    const demonstrations = [{ environment: { use: 'guess' }, noise: 1, rollout: { template } }];
    const [demonstration] = resolveDemonstrations(
      warmStartSpecSchema.parse({ demonstrations }),
      tinyRegistry,
    );
    expect(demonstration?.prompt.template).toEqual(template);
  });
});

const characters = [...'\n▁', ...Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i))];
/** Within words, and of the space that is put before a text. */
const merges = ['a c', 'ac t', 'act i', '▁ <', '▁ \n', '▁ Y', 'S t', 'St a'];
const vocabulary = ['<unk>', '<s>', '</s>', ...characters, ...merges.map((merge) => merge.replace(' ', ''))];

/** A tokenizer in the form of Llama 2's, with TinyLlama's chat template. */
const llama2 = (steps: object) =>
  createTokenizer({
    tokenizer: {
      added_tokens: ['<unk>', '<s>', '</s>'].map((content, id) => ({
        id,
        content,
        normalized: false,
        special: true,
        lstrip: false,
        rstrip: false,
        single_word: false,
      })),
      post_processor: null,
      model: {
        type: 'BPE',
        unk_token: '<unk>',
        fuse_unk: true,
        byte_fallback: false,
        vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
        merges,
      },
      ...steps,
    },
    config: {
      bos_token: '<s>',
      eos_token: '</s>',
      unk_token: '<unk>',
      chat_template:
        "{{ bos_token }}{% for m in messages %}{{ '<|' + m.role + '|>\n' + m.content + eos_token + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %}",
    },
  });

const replace = { type: 'Replace', pattern: { String: ' ' }, content: '▁' };
const restore = { type: 'Replace', pattern: { String: '▁' }, content: ' ' };
const strip = { type: 'Strip', content: ' ', start: 1, stop: 0 };

describe.each([
  [
    'a Prepend normalizer',
    {
      normalizer: { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' }, replace] },
      pre_tokenizer: null,
      decoder: { type: 'Sequence', decoders: [restore, { type: 'Fuse' }, strip] },
    },
  ],
  ...['first', 'always'].map((prepend_scheme) => [
    `Metaspace ${prepend_scheme}`,
    {
      normalizer: null,
      pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme, split: false },
      decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme, split: false },
    },
  ]),
] as [string, object][])('a tokenizer with %s', (_name, steps) => {
  const tokenizer = llama2(steps);
  const play = (played = tokenizer) => {
    const context = createContext(played, options);
    const actions = ['Left', 'Right'];
    context.appendObservation({ observation: { text: 'P_\n_G', actions }, actionsLeft: 6 });
    const first = context.appendResponseText('Left</answer>');
    context.appendObservation({ observation: { text: ' P\n_G', actions }, actionsLeft: 5, reward: -0.1 });
    const second = context.appendResponseText(' Right</answer>');
    return { tokens: context.tokens(), replies: [first.response, second.response] };
  };
  const demand = 'Always reply <answer>...</answer> and nothing else.\nMax response length: 32 tokens.';
  const rendered = tokenizer.renderMessages(
    [
      { role: 'system', content: 'You are a helpful agent.' },
      {
        role: 'user',
        content: `Reach G.\nActions: Left, Right\nGive one action per turn.\nTurn 1:\nState:\nP_\n_G\nYou have 6 actions left.\n${demand}`,
      },
      { role: 'assistant', content: '<answer>Left</answer>' },
      {
        role: 'user',
        content: `Reward:\n-0.1\nTurn 2:\nState:\n P\n_G\nYou have 5 actions left.\n${demand}`,
      },
      { role: 'assistant', content: '<answer> Right</answer>' },
    ],
    { generation: false },
  );

  it('gives the pieces of a conversation the ids of the whole', () => {
    const { tokens } = play();
    expect([...tokens]).toEqual([...tokenizer.encode(rendered.trimEnd())]);
    expect(tokens).not.toContain(0);
  });

  it('reads replies back with their own spaces only', () => {
    expect(play().replies).toEqual(['<answer>Left</answer>', '<answer> Right</answer>']);
  });

  it('is accepted, and refused where it could not be told how a text goes on', () => {
    expect(() => validateTokenizer(tokenizer)).not.toThrow();
    expect(() => validateTokenizer({ ...tokenizer, continuation: undefined })).toThrow(/piece by piece/);
  });
});
