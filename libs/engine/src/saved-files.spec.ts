import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeTinyModel } from '../../../test/support/tiny-model.js';
import { createEmbeddedEngine } from './embedded-engine.js';

let folder = '';
const at = (name: string): string => join(folder, name);
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'saved-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Opens a model and saves it without a change. */
async function saveAgain(from: string, to: string): Promise<void> {
  const engine = await createEmbeddedEngine({ folder: at(from), threads: 1 });
  try {
    await engine.policy.save(at(to), { optimizer: false });
  } finally {
    await engine.dispose();
  }
}

describe('a saved model', () => {
  it('has generation_config.json, the tokenizer and the weights of the one it comes from, byte for byte', async () => {
    writeTinyModel(at('model'));
    const written = {
      'generation_config.json':
        '{ "eos_token_id": [2,\t1],  "temperature": 0.60, "top_p": 0.95, "transformers_version": "4.51.3" }',
      'chat_template.jinja': '{% for message in messages %}{{ message.content }}{% endfor %}\n\n',
      'special_tokens_map.json': '{"eos_token":"<|im_end|>"}',
      'added_tokens.json': '{ }',
      'tokenizer.model': '\u0000\u0001pieces',
      'vocab.json': '{"a":0}',
      'merges.txt': '#version: 0.2\na b\n',
    };
    for (const [name, text] of Object.entries(written)) writeFileSync(join(at('model'), name), text);
    await saveAgain('model', 'checkpoint');
    await saveAgain('checkpoint', 'second');
    const names = [...Object.keys(written), 'tokenizer.json', 'tokenizer_config.json', 'model.safetensors'];
    for (const copy of ['checkpoint', 'second'])
      for (const name of names)
        expect(readFileSync(join(at(copy), name)), name).toEqual(readFileSync(join(at('model'), name)));
    expect(readFileSync(join(at('second'), 'config.json'))).toEqual(
      readFileSync(join(at('checkpoint'), 'config.json')),
    );
  });
});
