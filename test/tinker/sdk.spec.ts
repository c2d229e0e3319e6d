/**
 * Our engine server, driven by the official Python SDK. `npm run check:peers -- --only tinker` installs it and names its
 * interpreter in TINKER_PYTHON; without it the test is skipped, as Python is no part of this project.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEmbeddedEngine } from '@espalier/engine';
import { initializeWeights, parseModelConfig } from '@espalier/model';
import { createEngineServer, type ServedBase } from '@espalier/tinker/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const python = process.env['TINKER_PYTHON'] ?? '';
const run = promisify(execFile);

const config = parseModelConfig({
  model_type: 'llama',
  vocab_size: 61,
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 48,
  max_position_embeddings: 160,
  tie_word_embeddings: false,
});
const tinyBase: ServedBase = {
  name: 'tiny',
  contextLength: 160,
  stopTokens: [],
  encode: () => [],
  open: (lora) =>
    createEmbeddedEngine({
      config,
      weights: initializeWeights(config, 5),
      threads: 1,
      ...(lora === undefined
        ? {}
        : {
            lora: {
              rank: lora.rank,
              alpha: 2 * lora.rank,
              rankStabilized: false,
              targets: 'all-linear' as const,
              dropout: 0,
              critic: 'adapter' as const,
              seed: lora.seed ?? 0,
              base: undefined,
            },
          }),
    }),
};

interface Seen {
  readonly models: readonly string[];
  readonly losses: readonly number[];
  readonly norms: readonly number[];
  readonly byName: Readonly<Record<string, readonly number[]>>;
  readonly lossId: string;
  /** [loss, metric, gradient norm], by the server and by the SDK */
  readonly custom: readonly (readonly number[])[];
  readonly greedy: readonly (readonly number[])[];
  readonly again: readonly number[];
  readonly logprobs: readonly number[];
  readonly scored: readonly (number | null)[];
  readonly saved: string;
  readonly restored: readonly number[];
  readonly drawn: readonly (readonly number[])[];
  readonly refused: string;
}

describe.skipIf(!existsSync(python))(
  'the official SDK on our engine server (npm run check:peers -- --only tinker)',
  () => {
    let seen: Seen;
    let close = async (): Promise<void> => undefined;
    beforeAll(async () => {
      const apiKey = 'tml-secret';
      const folder = mkdtempSync(join(tmpdir(), 'espalier-sdk-'));
      const server = await createEngineServer({ models: [tinyBase], folder, apiKey });
      close = () => server.close();
      const env = {
        ...process.env,
        TINKER_BASE_URL: server.url,
        TINKER_API_KEY: apiKey,
        TINKER_TELEMETRY: '0',
      };
      const { stdout } = await run(python, [join(import.meta.dirname, 'sdk_check.py'), 'tiny'], {
        env,
        timeout: 240_000,
      });
      seen = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Seen;
    }, 300_000);
    afterAll(() => close());

    it('finds the model, and trains an adapter whose loss falls', () => {
      expect(seen.models).toEqual(['tiny']);
      expect(seen.losses[3]).toBeLessThan(0.9 * (seen.losses[0] ?? 0));
      expect(seen.norms.every((norm) => norm > 0)).toBe(true);
    });

    it('gets the named losses, at a ratio of 1', () => {
      const advantages = [0, 0, 1, -1, 0.5, 0, 2];
      for (const name of ['importance_sampling', 'ppo'])
        seen.byName[name]?.forEach((value, n) => expect(value).toBeCloseTo(-(advantages[n] ?? 0), 5));
      expect(seen.byName['cispo']).toHaveLength(7);
      expect(seen.refused).toMatch(/dro.*cross_entropy, importance_sampling, ppo, cispo/);
    });

    it('sends a traced loss, which is computed here as the SDK computes it there', () => {
      expect(seen.lossId).toMatch(/^session_.*:loss:0$/);
      const [ours = [], theirs = []] = seen.custom;
      expect(ours).toHaveLength(3);
      ours.forEach((value, n) => expect(value).toBeCloseTo(theirs[n] ?? Number.NaN, 5));
      expect(ours[2]).toBeGreaterThan(0.1);
    });

    it('samples with the weights that it saved, whatever was trained since', () => {
      const [one, two] = seen.greedy;
      expect(one).toHaveLength(6);
      expect(two).toEqual(one);
      expect(seen.again).toEqual(one);
      expect(seen.logprobs.every((value) => value <= 0)).toBe(true);
      expect(seen.drawn[0]).toEqual(seen.drawn[1]);
    });

    it('scores prompts, and restores what it saved', () => {
      expect(seen.scored[0]).toBeNull();
      expect(seen.scored.slice(1).every((value) => value !== null && value < 0)).toBe(true);
      expect(seen.saved).toMatch(/^tinker:\/\/session_.*:train:0\/weights\/kept$/);
      // as before the last step
      seen.restored.forEach((value, n) => expect(value).toBeCloseTo(seen.scored[n + 1] ?? Number.NaN, 4));
    });
  },
);
