/** @file `rollout.stopSequences` from the configuration to the embedded engine: replies end where they say. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunSpec, runSpecSchema } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';
import bandit from '@espalier/environment-bandit';
import { loadTokenizer } from '@espalier/model';
import { collectEpisodes } from '@espalier/rollout';
import { removeFolder } from '@espalier/testing';
import { afterAll, expect, it } from 'vitest';
import { writeTinyModel } from '../support/tiny-model.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-stop-'));
afterAll(() => removeFolder(folder));

it('ends a reply of the embedded engine at a stop sequence', async () => {
  writeTinyModel(folder);
  const tokenizer = loadTokenizer(folder);
  const engine = await createEmbeddedEngine({ folder, threads: 1 });
  const sample = async (stopSequences: string[]) => {
    const given = { maxResponseTokens: 40, maxFailedShare: 1, stopSequences };
    const spec = runSpecSchema.parse({
      environment: { use: 'bandit' },
      algorithm: { use: 'grpo' },
      rollout: given,
    });
    const rollout = {
      ...spec.rollout,
      maxTurns: 1,
      maxActions: 1,
      maxActionsPerTurn: 1,
    } as RunSpec['rollout'];
    const { groups } = await collectEpisodes(
      {
        seed: 0,
        rollout,
        policy: engine.policy,
        tokenizer,
        rewards: [],
        split: 'validation',
        step: 0,
        contextLength: engine.description.contextLength,
        environment: { definition: bandit, params: bandit.params.parse({}) },
      },
      { episodes: 1, temperature: 1, topP: 1, topK: 0 },
    );
    const trajectory = groups[0]?.trajectories[0];
    const { start, end } = trajectory?.turns[0]?.sampled ?? { start: 0, end: 0 };
    return {
      stop: trajectory?.turns[0]?.sampleStop,
      tokens: [...(trajectory?.tokens.slice(start, end) ?? [])],
    };
  };
  try {
    const free = await sample([]);
    expect([free.stop, free.tokens.length]).toEqual(['length', 40]);
    // two neighbours that, as text, are those same two tokens again
    const textAt = (i: number) => tokenizer.decode(free.tokens.slice(i, i + 2));
    const isExact = (i: number) => tokenizer.encode(textAt(i)).join() === free.tokens.slice(i, i + 2).join();
    const at = free.tokens.findIndex((_, i) => i > 3 && i < 38 && isExact(i));
    expect(at).toBeGreaterThan(3);
    const cut = await sample([textAt(at)]);
    expect(cut).toEqual({ stop: 'stop', tokens: free.tokens.slice(0, at + 2) });
  } finally {
    await engine.dispose();
  }
});
