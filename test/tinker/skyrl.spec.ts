/**
 * Engine tinker against a server that others wrote: SkyRL 0.4.0 on the CPU. Long: `SKYRL_PYTHON=<python of an environment with
 * skyrl[tinker,jax]==0.4.0 and aiohttp> npm run test:long -- test/tinker/skyrl`. SKYRL_URL names one that runs already.
 */
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LossSpec } from '@espalier/contracts';
import { engineConformance } from '@espalier/engine';
import { neg } from '@espalier/graph';
import type { LossBuilder } from '@espalier/objective';
import { createTinkerEngine } from '@espalier/tinker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SkyRlServer, startSkyRl } from '../support/skyrl-server.js';

const model = 'seedling';
const python = process.env['SKYRL_PYTHON'] ?? '';
const given = process.env['SKYRL_URL'];
const isHere = given !== undefined || existsSync(python);

const likelihoodLoss: LossSpec = {
  id: 'likelihood',
  params: {},
  columns: [],
  build: (({ logprobs }) => ({ perToken: neg(logprobs), metrics: {} })) satisfies LossBuilder,
};

/** Cases that are refused, with the code: the first one on SkyRL, the others on every server. */
const refuses: Readonly<Record<string, string>> = {
  // SkyRL scores at temperature 1 only
  'reports log-probabilities and entropies that score() confirms at temperature 0.7': 'engine.unsupported',
  'opens a critic that begins at zero and learns returns': 'engine.unsupported',
  'opens several critics, each of which learns alone': 'engine.unsupported',
  'opens a copy that samples with the old weights while it learns, until it is told': 'engine.unsupported',
};

describe.skipIf(!isHere)('engine tinker on SkyRL (set SKYRL_PYTHON)', () => {
  let url = given ?? '';
  let server: SkyRlServer | undefined;
  beforeAll(async () => {
    if (given !== undefined) return;
    server = await startSkyRl(python);
    ({ url } = server);
  }, 900_000);
  afterAll(() => server?.stop());

  const subject = {
    create: () =>
      createTinkerEngine({
        url,
        model,
        lora: { rank: 8, seed: 3 },
        vocabularySize: 512,
        contextLength: 160,
        patienceMs: 300_000,
      }),
    likelihoodLoss,
    valueLoss: likelihoodLoss,
    temporaryFolder: () => mkdtempSync(join(tmpdir(), 'espalier-')),
    refuses,
    // JAX sums in an order that depends on the batch
    tolerance: 2e-5,
  };
  it('refuses cases that exist', () => {
    const titles = engineConformance.map(({ title }) => title);
    expect(Object.keys(refuses).filter((title) => !titles.includes(title))).toEqual([]);
  });
  it('measures how the server weighs losses, and says so', async () => {
    const engine = await subject.create();
    expect(engine.description.notes?.join()).toMatch(/divides losses by lengths and numbers of sequences/);
    await engine.dispose();
  }, 900_000);
  for (const { title, run } of engineConformance) it(title, () => run(subject), 900_000);
});
