/** @file The vitest suite for models: the folder holds what a model needs, and its files fit together. */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ModelDefinition } from '../define-model.js';
import { describeDefinition } from './definition.suite.js';

export interface ModelSuiteOptions {
  /** options under test; the others have their defaults */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Runs the suite: an absolute folder, readable JSON, weights whose headers describe the whole file. */
export function testModel<Params>(
  definition: ModelDefinition<Params>,
  options: ModelSuiteOptions = {},
): void {
  const given = options.params ?? {};
  describe(`model ${definition.id} ${JSON.stringify(given)}`, () => {
    describeDefinition(definition, given);
    const folder = definition.folder(definition.params.parse(given));

    it('has an absolute folder, the same every time', () => {
      expect(isAbsolute(folder)).toBe(true);
      expect(definition.folder(definition.params.parse(given))).toBe(folder);
    });

    it.each(['config.json', 'tokenizer.json'])('has a readable %s', (name) => {
      const path = join(folder, name);
      expect(existsSync(path), `${path} exists`).toBe(true);
      expect(JSON.parse(readFileSync(path, 'utf8'))).toBeTypeOf('object');
    });

    it('has weights whose headers describe the whole of each file', () => {
      const files = readdirSync(folder).filter((name) => name.endsWith('.safetensors'));
      expect(files.length, `files *.safetensors in ${folder}`).toBeGreaterThan(0);
      for (const name of files) {
        const { described, held } = measureWeights(join(folder, name));
        expect(described, `bytes that the header of ${name} describes`).toBe(held);
      }
    });
  });
}

interface TensorEntry {
  readonly data_offsets?: readonly [number, number];
}

function measureWeights(path: string): { described: number; held: number } {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const length = Buffer.alloc(8);
    readSync(file, length, 0, 8, 0);
    const bytes = Number(length.readBigUInt64LE());
    expect(bytes, `the header of ${path} is shorter than the file`).toBeLessThanOrEqual(size - 8);
    const text = Buffer.alloc(bytes);
    readSync(file, text, 0, bytes, 8);
    const entries = Object.values(JSON.parse(text.toString('utf8')) as Record<string, TensorEntry>);
    const ends = entries.map(({ data_offsets: offsets }) => offsets?.[1] ?? 0);
    return { described: Math.max(0, ...ends), held: size - 8 - bytes };
  } finally {
    closeSync(file);
  }
}
