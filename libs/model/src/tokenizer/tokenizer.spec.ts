import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goldenFolder } from '@espalier/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { createTokenizer } from './tokenizer.js';
import { loadTokenizer, saveTokenizer } from './tokenizer-folder.js';
import { trainBpe } from './train-bpe.js';
import { trainTokenizer } from './train-tokenizer.js';

const phrases = ['<think>', '</think>', ' || ', 'You are solving the Sokoban puzzle.\n'];
const corpus = [
  'You are solving the Sokoban puzzle.\nP is up\n###_\nXP__\n<think> box up </think> Up || Left Dragon',
  'Up Up Left Dragon',
];
const recipe = { corpus, phrases, vocabularySize: 300, contextLength: 128 };
const files = trainTokenizer(recipe);
const tokenizer = createTokenizer(files);

it('applies the character map of a tokenizer that SentencePiece trained', () => {
  const golden = JSON.parse(readFileSync(join(goldenFolder('tokenizers'), 'charsmap.json'), 'utf8')) as {
    tokenizer: Record<string, unknown>;
    texts: string[];
    ids: number[][];
  };
  const config = { eos_token: '</s>', unk_token: '<unk>' };
  const files = { tokenizer: golden.tokenizer, config };
  const { encode } = createTokenizer(files, 'charsmap', { needsTemplate: false });
  expect(golden.texts.map((text) => [text, ...encode(text)])).toEqual(
    golden.texts.map((text, index) => [text, ...(golden.ids[index] ?? [])]),
  );
  const normalizer = { type: 'Precompiled', precompiled_charsmap: 'AAEAAAA=' };
  const cut = { config, tokenizer: { ...golden.tokenizer, normalizer } };
  expect(() => createTokenizer(cut, 'cut', { needsTemplate: false })).toThrow(
    /charsmap of 5 bytes is cut short/,
  );
});

describe('trainBpe', () => {
  it('merges the most frequent pair first and breaks ties by text', () => {
    expect(
      trainBpe(
        new Map([
          ['ab', 3],
          ['cd', 2],
        ]),
        5,
      ),
    ).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(
      trainBpe(
        new Map([
          ['cd', 2],
          ['ab', 2],
        ]),
        1,
      ),
    ).toEqual([['a', 'b']]);
    expect(trainBpe(new Map([['aaa', 1]]), 9)).toEqual([
      ['a', 'a'],
      ['aa', 'a'],
    ]);
  });
});

describe('trainTokenizer', () => {
  it('fills the vocabulary exactly', () => {
    expect(tokenizer.vocabularySize).toBe(300);
    expect(() => trainTokenizer({ ...recipe, vocabularySize: 260 })).toThrow(
      /do not fit into a vocabulary of 260/,
    );
  });

  it('gives equal files for an equal corpus in another order', () => {
    expect(trainTokenizer({ ...recipe, corpus: [...corpus].reverse() })).toEqual(files);
  });

  it('makes each phrase one token', () => {
    for (const phrase of phrases) expect(tokenizer.encode(phrase)).toHaveLength(1);
    expect(tokenizer.encode('<|im_end|>')).toEqual(Int32Array.of(tokenizer.endOfTurn));
  });

  it('keeps digits, newlines and grid symbols apart', () => {
    const grid = '##__XO\nPSG##_\n';
    expect(tokenizer.encode(grid)).toHaveLength(grid.length);
    expect(tokenizer.encode('1000')).toHaveLength(4);
  });

  it('gives rows of a grid as many tokens, whatever their cells hold', () => {
    const rows = ['1 . | 3 4\n', '. . | . .\n', '4 W | R 1\n', 'O G | A B\n'];
    const taught = createTokenizer(trainTokenizer({ ...recipe, corpus: rows, vocabularySize: 280 }));
    const lengths = rows.map((row) => taught.encode(row).length);
    expect(new Set(lengths).size).toBe(1);
    expect(taught.encode('W...AP')).toHaveLength(6);
  });
});

describe('createTokenizer', () => {
  it.each([
    'plain words',
    ' leading and  double spaces ',
    'unseen: žluťoučký 漢字 🙂 \t tab',
    'grid √√\n#_\n',
    '<|im_start|>user\nhi<|im_end|>\n<think>x</think>',
    'Pull Xylophone OK O P',
  ])('returns %j unchanged', (text) => {
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
  });

  it('encodes and decodes nothing', () => {
    expect(tokenizer.encode('')).toHaveLength(0);
    expect(tokenizer.decode([])).toBe('');
  });

  it('renders the chat template with and without the opening of an answer', () => {
    const messages = [{ role: 'user', content: 'hi' }] as const;
    expect(tokenizer.renderMessages(messages, { generation: false })).toBe(
      '<|im_start|>user\nhi<|im_end|>\n',
    );
    expect(tokenizer.renderMessages(messages, { generation: true })).toBe(
      '<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  it('needs no row for special tokens at the end that a run does not use', () => {
    const { vocabularySize } = tokenizer;
    const added = files.tokenizer['added_tokens'] as object[];
    const extended = (special: boolean) => {
      const image = { ...added[0], id: vocabularySize, content: '<image_soft_token>', special };
      return createTokenizer({
        ...files,
        tokenizer: { ...files.tokenizer, added_tokens: [...added, image] },
      });
    };
    expect(extended(true)).toMatchObject({
      vocabularySize: vocabularySize + 1,
      embeddingRows: tokenizer.embeddingRows,
    });
    expect(tokenizer.embeddingRows).toBeLessThanOrEqual(vocabularySize);
    expect(extended(false).embeddingRows).toBe(vocabularySize + 1);
    expect(extended(true).encode('a<image_soft_token>').at(-1)).toBe(vocabularySize);
  });

  it('refuses what it cannot use, with the reason', () => {
    const code = 'model.malformed_tokenizer';
    const withConfig = (config: object) => () =>
      createTokenizer({ ...files, config: { ...files.config, ...config } }, 'here');
    expect(() => createTokenizer({ ...files, tokenizer: {} })).toThrow(expect.objectContaining({ code }));
    expect(withConfig({ eos_token: '<none>' })).toThrow(/here: eos_token "<none>" .* not in the vocabulary/);
    expect(withConfig({ eos_token: null })).toThrow(/no "eos_token"/);
    expect(withConfig({ chat_template: undefined })).toThrow(/no chat template/);
    expect(withConfig({ chat_template: '{% for %}' })).toThrow(/chat template cannot be read/);
    const raising = withConfig({ chat_template: "{{ raise_exception('no system role') }}" })();
    expect(() => raising.renderMessages([{ role: 'system', content: '' }], { generation: false })).toThrow(
      /refuses system .*no system role/,
    );
    const broken = withConfig({ chat_template: '{{ messages | frobnicate }}' })();
    expect(() => broken.renderMessages([{ role: 'user', content: '' }], { generation: false })).toThrow(
      /cannot be rendered \(.*frobnicate.*\); correct it, or take the template of the model/,
    );
  });
});

describe('a chat template', () => {
  const withTemplate = (chat_template: string) =>
    createTokenizer({ ...files, config: { ...files.config, chat_template } }, 'here');

  it.each([
    ['loops within loops', `${'{% for a in range(1000) %}'.repeat(4)}x${'{% endfor %}'.repeat(4)}`],
    ['loops within loops without a body', `${'{% for a in range(9999) %}{% endfor %}'.repeat(99)}`],
    [
      'calls itself twice',
      '{% macro f(n) %}{% if n > 0 %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}',
    ],
    ['makes an endless range', '{{ range(1000000000000) | length }}'],
    ['makes a range to infinity', '{{ range(10 ** 300) | length }}'],
    [
      'doubles a text',
      `{% set ns = namespace(t='ab') %}{% for i in range(60) %}{% set ns.t = ns.t + ns.t %}{% endfor %}`,
    ],
    [
      'doubles a list, then writes it',
      `{% set ns = namespace(t=[1]) %}{% for i in range(60) %}{% set ns.t = [ns.t, ns.t] %}{% endfor %}{{ ns.t | tojson }}`,
    ],
    ['indents by a billion', '{{ "a\\nb" | indent(400000000) }}'],
  ])('that %s is refused when the tokenizer is opened', (_what, template) => {
    const before = performance.now();
    expect(() => withTemplate(template)).toThrow(
      expect.objectContaining({
        code: 'model.malformed_tokenizer',
        message: expect.stringMatching(
          /^here: the chat template does not end \(it (takes|makes) /,
        ) as unknown,
      }),
    );
    // counted, not timed; this only tells an end from none
    expect(performance.now() - before).toBeLessThan(30_000);
  });

  it.each([
    ['more than 1000 blanks', `x${' '.repeat(200_000)}{% if true %}{% endif %}`],
    ['more than 1000 blanks', '\n'.repeat(1001)],
    ['more than 262144', 'x'.repeat(262_145)],
  ])('with %s is refused before it is read', (finding, template) => {
    const begin = process.cpuUsage();
    expect(() => withTemplate(template)).toThrow(finding);
    expect(process.cpuUsage(begin).user).toBeLessThan(2e6);
  });

  it('with 1000 blanks in a row is read', () => {
    const { renderMessages } = withTemplate(`a${' '.repeat(1000)}b`);
    expect(renderMessages([], { generation: true })).toBe(`a${' '.repeat(1000)}b`);
  });

  it('that never ends only for long conversations is refused there', () => {
    const { renderMessages } = withTemplate(
      `{% if messages | length > 2 %}${'{% for a in range(1000) %}'.repeat(3)}x${'{% endfor %}'.repeat(3)}{% endif %}ok`,
    );
    const message = { role: 'user', content: '' } as const;
    expect(renderMessages([message], { generation: true })).toBe('ok');
    expect(() => renderMessages([message, message, message], { generation: true })).toThrow(/does not end/);
  });

  it('takes a conversation of a thousand long turns', () => {
    const content = 'a word and another '.repeat(500);
    const messages = Array.from({ length: 1000 }, (_, i) => ({
      role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content,
    }));
    const { renderMessages } = withTemplate(
      '{% for m in messages %}{% if messages[0].role == "user" and loop.index0 < messages | length %}{{ m.content | trim }}{% endif %}{% endfor %}',
    );
    expect(renderMessages(messages, { generation: true })).toHaveLength(1000 * content.trim().length);
  });

  it('has the functions that templates of models call', () => {
    const { renderMessages } = withTemplate(
      `{{ strftime_now('%d %b %Y') }}|{{ range(2, 8, 3) | join(',') }}|{{ True and not none }}|{{ range(3, 0, -1) | join }}`,
    );
    expect(renderMessages([], { generation: true })).toMatch(
      /^\d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) 20\d\d\|2,5\|true\|321$/,
    );
  });
});

describe('a tokenizer.json that is wrong', () => {
  const model = files.tokenizer['model'] as Record<string, unknown>;
  const split = (pattern: unknown): object => ({
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'Split', pattern, behavior: 'Isolated' }] },
  });
  it.each([
    [
      'an id that would fill the memory',
      { model: { ...model, vocab: { a: 2147483647 } } },
      /the id 2147483647; expected 0\.\./,
    ],
    ['an id twice', { model: { ...model, vocab: { a: 1, b: 1 } } }, /two tokens the id 1/],
    ['a merge of one token', { model: { ...model, merges: ['ab'] } }, /the merge "ab"; expected two tokens/],
    ['an added token without text', { added_tokens: [{ id: 1, content: '' }] }, /the added token/],
    ['a pattern that never ends', split({ Regex: '(a+)+$' }), /could take forever/],
    ['a pattern of no kind', split({ Glob: '*' }), /expected \{"String": …\} or \{"Regex": …\}/],
    ['a pattern that is none', split({ Regex: '(' }), /tokenizer\.json cannot/],
  ])('with %s is refused', (_what, change, sentence) => {
    const open = () =>
      createTokenizer({ ...files, tokenizer: { ...files.tokenizer, ...change } }, 'here').encode('ab');
    expect(open).toThrow(expect.objectContaining({ code: 'model.malformed_tokenizer' }));
    expect(open).toThrow(sentence);
  });
});

describe('loadTokenizer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tokenizer-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('reads what saveTokenizer wrote', () => {
    saveTokenizer(folder, files);
    const text = 'You are solving the Sokoban puzzle.\nUp || Left 漢';
    expect(loadTokenizer(folder).encode(text)).toEqual(tokenizer.encode(text));
  });

  it('prefers chat_template.jinja', () => {
    writeFileSync(join(folder, 'chat_template.jinja'), '{{ messages[0].content }}{{ eos_token }}');
    expect(loadTokenizer(folder).renderMessages([{ role: 'user', content: 'a' }], { generation: true })).toBe(
      'a<|im_end|>',
    );
  });

  it('names the file that is missing or broken', () => {
    expect(() => loadTokenizer(join(folder, 'none'))).toThrow(/tokenizer\.json: the file is missing/);
    writeFileSync(join(folder, 'tokenizer_config.json'), '{');
    expect(() => loadTokenizer(folder)).toThrow(/tokenizer_config\.json: not JSON/);
  });
});

describe('stop tokens', () => {
  it('are the end of a turn and those of generation_config.json, or else of config.json', () => {
    const folder = mkdtempSync(join(tmpdir(), 'stops-'));
    saveTokenizer(folder, files);
    expect(loadTokenizer(folder).stopTokens).toEqual([tokenizer.endOfTurn]);
    writeFileSync(join(folder, 'config.json'), '{"eos_token_id":[5,9]}');
    expect(loadTokenizer(folder).stopTokens).toEqual([tokenizer.endOfTurn, 5, 9]);
    writeFileSync(join(folder, 'generation_config.json'), '{"eos_token_id":[7,9]}');
    expect(loadTokenizer(folder).stopTokens).toEqual([tokenizer.endOfTurn, 7, 9]);
    rmSync(folder, { recursive: true });
  });

  it('begin with the one that ends a reply in the chat template, whatever eos_token is', () => {
    const folder = mkdtempSync(join(tmpdir(), 'stops-'));
    const [pad = 0] = tokenizer.encode('<|pad|>');
    const template = String(files.config['chat_template']).replaceAll('eos_token', "'<|im_end|>'");
    saveTokenizer(folder, {
      ...files,
      config: { ...files.config, eos_token: '<|pad|>', chat_template: template },
    });
    expect(loadTokenizer(folder).endOfTurn).toBe(pad);
    writeFileSync(
      join(folder, 'generation_config.json'),
      JSON.stringify({ eos_token_id: [pad, tokenizer.endOfTurn] }),
    );
    const { endOfTurn, stopTokens } = loadTokenizer(folder);
    expect([endOfTurn, ...stopTokens]).toEqual([tokenizer.endOfTurn, tokenizer.endOfTurn, pad]);
    rmSync(folder, { recursive: true });
  });
});

describe('a vocabulary of 150,000', () => {
  const base = (files.tokenizer as { model: { vocab: Record<string, number> } }).model;
  const vocab = { ...base.vocab };
  const taken = new Set([
    ...Object.values(vocab),
    ...(files.tokenizer['added_tokens'] as { id: number }[]).map(({ id }) => id),
  ]);
  for (let id = 0; id < 150_000; id++) if (!taken.has(id)) vocab[`filler-${id}`] = id;
  const large = { ...files, tokenizer: { ...files.tokenizer, model: { ...base, vocab } } };

  it('opens and gives the same ids as the small one', () => {
    const opened = createTokenizer(large);
    expect(opened.vocabularySize).toBe(150_000);
    expect(opened.encode(corpus[0]!)).toEqual(tokenizer.encode(corpus[0]!));
    expect(opened.decode([149_999])).toBe('filler-149999');
  });
});
