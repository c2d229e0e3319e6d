import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LossSpec } from '@espalier/contracts';
import { engineConformance } from '@espalier/engine';
import { neg } from '@espalier/graph';
import type { LossBuilder } from '@espalier/objective';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineServer } from './server/engine-server.js';
import { startTinyServer, tinyClient } from './testing/tiny-server.js';
import { createTinkerEngine } from './tinker-engine.js';

const build = (({ logprobs }) => ({ perToken: neg(logprobs), metrics: {} })) satisfies LossBuilder;
const losses: Record<string, LossSpec> = {
  named: { id: 'likelihood', params: {}, columns: [], build, named: { name: 'cross_entropy' } },
  linear: { id: 'likelihood', params: {}, columns: [], build },
};

/** The API trains no critic, and has no second sampler. */
const leftOut = [
  'opens a critic that begins at zero and learns returns',
  'opens a copy that samples with the old weights while it learns, until it is told',
];

describe.each(Object.entries(losses))(
  'tinker engine on our own server conforms (%s loss)',
  (_, likelihoodLoss) => {
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
      create: () => createTinkerEngine(tinyClient(server.url)),
      likelihoodLoss,
      valueLoss: likelihoodLoss,
      temporaryFolder: () => {
        const folder = mkdtempSync(join(tmpdir(), 'espalier-'));
        folders.push(folder);
        return folder;
      },
    };
    // how a loss is sent shows when the engine learns
    const cases = engineConformance.filter(
      ({ title }) =>
        likelihoodLoss.named !== undefined || /gradient|step|loss|learn|saved|update|weights/.test(title),
    );
    it('leaves out two cases, which exist', () => {
      expect(engineConformance.filter(({ title }) => leftOut.includes(title))).toHaveLength(2);
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
    for (const { title, run } of cases) if (!leftOut.includes(title)) it(title, () => run(subject));
  },
);
