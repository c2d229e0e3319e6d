/** @file `espalier model …`: a GGUF file is imported, shown, scored, talked to and exported, and what is wrong is said. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parameterShapes, parseModelConfig, saveModelFolder } from '@espalier/model';
import { goldenFolder, removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { runCli } from '../support/run-cli.js';

const source = join(goldenFolder('gguf'), 'byte-level.gguf');
const adapter = join(goldenFolder('adapters'), 'attention');
let cwd = '';
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'espalier-model-'));
  writeFileSync(join(cwd, 'text.txt'), 'The capital of France is');
  const { code, stdout } = await callCli(['model', 'import', source, '--out', 'model', '--json'], { cwd });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ model: 'model', from: source });
});
afterAll(() => removeFolder(cwd));

const model = (words: readonly string[], input = '') => callCli(['model', ...words], { cwd, input });

interface Score {
  readonly tokens: readonly {
    readonly id: number;
    readonly text: string;
    readonly logprob: number | null;
    readonly entropy: number | null;
  }[];
  readonly logprob: number;
  readonly perplexity: number;
}

async function score(name: string): Promise<Score> {
  const { code, stdout, stderr } = await model(['score', name, '--text', 'text.txt', '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Score;
}

describe('espalier model', () => {
  it('shows a GGUF file and the folder made of it', async () => {
    const read = async (name: string): Promise<Record<string, Record<string, unknown>>> => {
      const { code, stdout } = await model(['info', name, '--json']);
      expect(code).toBe(0);
      return JSON.parse(stdout) as Record<string, Record<string, unknown>>;
    };
    const file = await read(source);
    const folder = await read('./model');
    expect(file).toMatchObject({ kind: 'gguf', family: 'llama', formats: { Q8_0: 300 * 256 + 32 * 256 } });
    expect(folder).toMatchObject({ kind: 'folder', shape: file['shape'], tokenizer: file['tokenizer'] });
    expect(folder['tokenizer']).toMatchObject({ type: 'BPE', stopTokens: [{ id: 2, text: '<|im_end|>' }] });
    expect(Object.keys(folder['formats'] ?? {})).toEqual(['F32']);
    expect(folder['parameters']).toBe(file['parameters']);
    expect(Number(folder['memory']?.['training'])).toBeGreaterThan(Number(folder['memory']?.['sampling']));
    const { stdout } = await model(['info', 'model']);
    expect(stdout).toMatch(/^family {6}llama$/m);
    expect(stdout).toMatch(/^heads {7}4 over 2 key\/value heads of 8$/m);
  });

  it('imports a model in several GGUF files by the first of them', async () => {
    const parts = (number: number): string => join(goldenFolder('gguf'), `tiny-0000${number}-of-00003.gguf`);
    const { code, stderr } = await model(['import', parts(1), '--out', 'joined']);
    expect(code, stderr).toBe(0);
    const info = async (name: string): Promise<Record<string, unknown>> =>
      JSON.parse((await model(['info', name, '--json'])).stdout) as Record<string, unknown>;
    const [before, after] = [await info(parts(1)), await info('./joined')];
    expect(before).toMatchObject({ kind: 'gguf', parameters: after['parameters'], shape: after['shape'] });
    const second = await model(['import', parts(2), '--out', 'second']);
    expect([second.code, second.stderr]).toEqual([
      3,
      expect.stringMatching(
        /error model\.malformed_gguf: .*is part 2 of 3; name the first one, .*tiny-00001/,
      ),
    ]);
    expect(readdirSync(cwd)).not.toContain('second');
  });

  it('scores every token but the first', async () => {
    const { tokens, logprob, perplexity } = await score('model');
    expect(tokens.map(({ text }) => text).join('')).toBe('The capital of France is');
    expect(tokens[0]).toMatchObject({ logprob: null, entropy: null });
    const known = tokens.slice(1).map((token) => token.logprob as number);
    expect(known.every((value) => value < 0)).toBe(true);
    expect(logprob).toBeCloseTo(
      known.reduce((sum, value) => sum + value, 0),
      6,
    );
    expect(perplexity).toBeCloseTo(Math.exp(-logprob / known.length), 4);
    const piped = await runCli(['model', 'score', 'model', '--text', '-'], { cwd, input: 'The' });
    expect(piped.stdout).toMatch(/log-prob {2}entropy {2}text\n/);
    writeFileSync(join(cwd, 'latin-1.txt'), Buffer.from('caf\xe9', 'latin1'));
    const refused = await model(['score', 'model', '--text', 'latin-1.txt']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('--text latin-1.txt: it is not UTF-8; convert it, or name another file');
  });

  it('gives equal scores after every export', async () => {
    const { logprob, tokens } = await score('model');
    const exported: [name: string, words: string[], tolerance: number][] = [
      ['whole', ['--dtype', 'float32'], 1e-9],
      ['half', ['--dtype', 'float16'], 0.05],
      ['brain', ['--dtype', 'bfloat16'], 0.4],
      ['f16.gguf', ['--format', 'gguf'], 0.05],
      ['q8.gguf', ['--format', 'gguf', '--dtype', 'q8_0'], 0.6],
    ];
    for (const [name, words, tolerance] of exported) {
      const { code, stderr } = await model(['export', 'model', '--out', name, ...words]);
      expect(code, stderr).toBe(0);
      const folder = name.replace('.gguf', '');
      if (folder !== name) await model(['import', name, '--out', folder]);
      const other = await score(folder);
      expect(other.tokens.map(({ id }) => id)).toEqual(tokens.map(({ id }) => id));
      expect(Math.abs(other.logprob - logprob), name).toBeLessThan(tolerance);
    }
  });

  it('leaves nothing when it is interrupted', async () => {
    const large = join(cwd, 'large');
    const json = JSON.parse(readFileSync(join(cwd, 'model', 'config.json'), 'utf8')) as object;
    const config = parseModelConfig({ ...json, vocab_size: 2 ** 16, hidden_size: 512 });
    const weights = new Map(
      [...parameterShapes(config)].map(([name, shape]) => [
        name,
        { shape, data: new Float32Array(shape.reduce((size, extent) => size * extent, 1)) },
      ]),
    );
    saveModelFolder(large, { config, weights, dtype: 'bfloat16', tokenizerFrom: join(cwd, 'model') });
    // the process interrupts itself while it writes the first piece of the weights
    const interrupt = join(cwd, 'interrupt.cjs');
    writeFileSync(
      interrupt,
      `const fs = require('node:fs');
      const { writeSync } = fs;
      let isSent = false;
      fs.writeSync = (file, bytes, ...rest) => {
        if (bytes.length > 1e6 && !isSent) isSent = process.kill(process.pid, 'SIGINT');
        return writeSync(file, bytes, ...rest);
      };
      require('node:module').syncBuiltinESMExports();`,
    );
    const { code, stderr } = await runCli(['model', 'export', './large', '--out', 'stopped'], {
      cwd,
      env: { NODE_OPTIONS: `--require ${interrupt}` },
    });
    expect(stderr).toContain(
      'error cli.interrupted: export ./large: interrupted; nothing was written, run it again',
    );
    expect(code).toBe(75);
    expect(readdirSync(cwd).filter((name) => name.includes('stopped'))).toEqual([]);
  });

  it('needs a chat template for a conversation only', async () => {
    cpSync(join(cwd, 'model'), join(cwd, 'bare'), { recursive: true });
    const path = join(cwd, 'bare', 'tokenizer_config.json');
    const { chat_template: _, ...config } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify(config));
    expect((await model(['info', './bare'])).stdout).toMatch(/^template {4}none$/m);
    expect((await score('./bare')).tokens.length).toBeGreaterThan(1);
    const { code, stderr } = await model(['chat', './bare'], 'a');
    expect([code, stderr]).toEqual([3, expect.stringContaining('there is no chat template; give ')]);
  });

  it('shows, exports and merges an adapter', async () => {
    const base = join(goldenFolder('families'), 'qwen2');
    cpSync(base, join(cwd, 'base'), { recursive: true });
    for (const name of ['tokenizer.json', 'tokenizer_config.json'])
      cpSync(join(cwd, 'model', name), join(cwd, 'base', name));
    const info = await model(['info', adapter, '--json']);
    expect(JSON.parse(info.stdout)).toMatchObject({
      kind: 'adapter',
      base: 'families/qwen2',
      rank: 3,
      scale: 7 / 3,
      formats: { F32: 336 },
    });
    expect((await model(['info', adapter])).stdout).toMatch(/^layers {6}4: q_proj, v_proj$/m);
    const half = await model(['export', adapter, '--out', 'small', '--dtype', 'float16']);
    expect(half.code, half.stderr).toBe(0);
    expect((await model(['info', 'small'])).stdout).toMatch(/^parameters {2}336 \(F16 100\.0 %\)$/m);
    const merged = await model(['merge', './base', 'small', '--out', 'merged', '--dtype', 'bfloat16']);
    expect(merged.code, merged.stderr).toBe(0);
    expect(merged.stderr).toContain(
      'note: small was trained on families/qwen2; that ./base has the same weights is not known',
    );
    expect(readdirSync(join(cwd, 'merged')).sort()).toEqual(
      ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'].sort(),
    );
  });

  it('answers each line of its input and ends with it', async () => {
    const words = ['chat', 'model', '--temperature', '0', '--max-tokens', '9'];
    const first = await model(words, 'hello\n');
    const both = await model(words, 'hello\n\nagain');
    expect([first.code, both.code]).toEqual([0, 0]);
    expect(first.stdout.length).toBeGreaterThan(1);
    expect(both.stdout.startsWith(first.stdout)).toBe(true);
    expect(both.stdout.length).toBeGreaterThan(first.stdout.length);
    const replyOf = async (seed: string): Promise<string> =>
      (await model(['chat', 'model', '--seed', seed, '--max-tokens', '12'], 'a')).stdout;
    const reply = await replyOf('1');
    expect(await replyOf('1')).toBe(reply);
    expect(await replyOf('2')).not.toBe(reply);
  });

  it('continues after replies that are cut within a character', async () => {
    const words = ['chat', 'model', '--temperature', '1', '--max-tokens', '1'];
    let said = '';
    for (const seed of ['0', '1', '2', '3']) {
      const { code, stdout, stderr } = await model([...words, '--seed', seed], 'a\nb\nc\n');
      expect([code, stderr]).toEqual([0, '']);
      said += stdout;
    }
    expect(said).toContain('\uFFFD');
  });

  it.each([
    ['import missing.gguf --out new', 4, 'import missing.gguf: no such file'],
    ['import text.txt --out new', 3, 'text.txt: the file does not begin with "GGUF"'],
    [`import ${source} --out model`, 3, 'write model: it exists already; choose a new folder'],
    [`import ${source} --out new --template missing`, 2, '--template missing: the file cannot be read'],
    ['score text.txt --text text.txt', 2, 'is a file, not a model folder; convert a GGUF file with:'],
    ['score model --text missing', 2, '--text missing: the file cannot be read'],
    ['score model --text empty.txt', 2, 'the text is empty'],
    ['score model --text long.txt', 3, 'the context of model 256; shorten the text'],
    [
      'export model --out new --dtype q8_0',
      2,
      '--format safetensors is written as float32, float16, bfloat16',
    ],
    ['chat model --top-p 1.5', 2, '--top-p 1.5: expected a number above 0, at most 1'],
    ['chat model --top-p 0', 2, '--top-p 0: expected a number above 0, at most 1'],
    ['import . --out new', 3, 'error model.unreadable: import .: it is a folder; name a file'],
    ['export model --out empty --format gguf', 3, 'write empty: it is a folder; name a new file'],
    ['merge model nothing --out new', 4, 'merge nothing: no such folder; name the folder of an adapter'],
    ['merge model model --out new', 3, 'model: there is no adapter_config.json; name a folder that PEFT'],
    [`merge model ${adapter} --out new`, 3, 'it was trained on families/qwen2; name that model'],
    [`score ${adapter} --text text.txt`, 2, 'is an adapter, not a model; merge it with: '],
    [`export ${adapter} --out new --format gguf`, 2, 'is an adapter; merge it first: '],
    ['info nothing', 4, 'open model "nothing": no such folder'],
  ])('refuses %s', async (line, exit, sentence) => {
    writeFileSync(join(cwd, 'empty.txt'), '');
    mkdirSync(join(cwd, 'empty'), { recursive: true });
    writeFileSync(join(cwd, 'long.txt'), 'a b '.repeat(400));
    const { code, stdout, stderr } = await model(line.split(' '));
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect([code, stdout]).toEqual([exit, '']);
    expect(readdirSync(cwd)).not.toContain('new');
  });
});
