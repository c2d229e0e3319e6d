import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LossSpec } from '@espalier/contracts';
import { engineConformance } from '@espalier/engine';
import { neg } from '@espalier/graph';
import type { LossBuilder } from '@espalier/objective';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineServer } from './server/engine-server.js';
import { startMisbehaving } from './testing/misbehaving-server.js';
import { startTinyServer, tinyClient } from './testing/tiny-server.js';
import { createTinkerEngine } from './tinker-engine.js';

const build = (({ logprobs }) => ({ perToken: neg(logprobs), metrics: {} })) satisfies LossBuilder;
const unnamed: LossSpec = { id: 'likelihood', params: {}, columns: [], build };
const routes: Record<string, { readonly loss: LossSpec; readonly losses: 'named' | 'linear' }> = {
  named: { loss: { ...unnamed, named: { name: 'cross_entropy' } }, losses: 'named' },
  traced: { loss: { ...unnamed }, losses: 'named' },
  linear: { loss: { ...unnamed }, losses: 'linear' },
};

/** The API trains no critic, and has no second sampler. */
const refuses: Readonly<Record<string, string>> = {
  'opens a critic that begins at zero and learns returns': 'engine.unsupported',
  'opens several critics, each of which learns alone': 'engine.unsupported',
  'opens a copy that samples with the old weights while it learns, until it is told': 'engine.unsupported',
};

describe.each(Object.entries(routes))(
  'tinker engine on our own server conforms (%s loss)',
  (_, { loss: likelihoodLoss, losses }) => {
    let server: EngineServer;
    const folders: string[] = [];
    beforeAll(async () => {
      server = await startTinyServer();
    });
    afterAll(async () => {
      await server.close();
      folders.forEach((folder) => rmSync(folder, { recursive: true }));
    });
    const subject = {
      create: () => createTinkerEngine(tinyClient(server.url, { losses })),
      likelihoodLoss,
      valueLoss: likelihoodLoss,
      temporaryFolder: () => {
        const folder = mkdtempSync(join(tmpdir(), 'espalier-'));
        folders.push(folder);
        return folder;
      },
      refuses,
    };
    // how a loss is sent shows when the engine learns
    const cases = engineConformance.filter(
      ({ title }) =>
        likelihoodLoss.named !== undefined || /gradient|step|loss|learn|saved|update|weights/.test(title),
    );
    it('refuses cases that exist', () => {
      const titles = engineConformance.map(({ title }) => title);
      expect(titles).toEqual(expect.arrayContaining(Object.keys(refuses)));
    });
    it('refuses a critic and sampling ahead with the reason', async () => {
      const engine = await subject.create();
      await expect(engine.openCritic()).rejects.toMatchObject({
        code: 'engine.unsupported',
        message: expect.stringContaining('no critic') as string,
      });
      await expect(engine.openSampler()).rejects.toMatchObject({
        code: 'engine.unsupported',
        message: expect.stringContaining('set rollout.ahead to 0') as string,
      });
      await engine.dispose();
    });
    for (const { title, run } of cases) it(title, () => run(subject));
  },
);

describe('a loss that is sent as a graph', () => {
  const batch = [
    {
      tokens: Int32Array.of(3, 7, 11, 13, 17),
      positions: Int32Array.of(2, 4),
      weights: Float32Array.of(0.25, 0.5),
      columns: {},
    },
  ];
  const step = {
    learningRate: 0.01,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
    weightDecay: 0,
    maxGradientNorm: 1,
  };

  /** Two steps; between the passes of the second, `meanwhile` happens. */
  async function train(url: string, meanwhile: () => Promise<void>): Promise<number[]> {
    const { policy, dispose } = await createTinkerEngine(tinyClient(url));
    for (const pause of [undefined, meanwhile]) {
      // a trainer builds the loss of each iteration anew
      const likelihood = { ...unnamed };
      await policy.forwardBackward(batch, likelihood);
      await pause?.();
      await policy.forwardBackward(batch, likelihood);
      await policy.optimizerStep(step);
    }
    const scores = await policy.score(batch);
    await dispose();
    return scores.flatMap(({ logprobs }) => [...logprobs]);
  }

  it('is sent once to a session, and again to a server that has started anew', async () => {
    let good = await startTinyServer();
    const port = Number(new URL(good.url).port);
    const counted = await startMisbehaving(good.url, ({ pass }) => pass());
    const sent = (): number => counted.countOf('create_custom_loss');
    const expected = await train(counted.url, () => Promise.resolve());
    expect(sent()).toBe(1);
    const found = await train(counted.url, async () => {
      await good.close();
      good = await startTinyServer({ port });
    });
    expect(sent()).toBe(3);
    expect(found).toEqual(expected);
    await counted.close();
    await good.close();
  });

  it('serves a run with more iterations than a session may have losses', async () => {
    const server = await startTinyServer();
    const { policy, dispose } = await createTinkerEngine(tinyClient(server.url));
    for (let iteration = 0; iteration < 102; iteration += 1)
      await policy.forwardBackward(batch, { ...unnamed });
    await dispose();
    await server.close();
  });
});
