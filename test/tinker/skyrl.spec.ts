/**
 * Engine tinker against a server that others wrote: SkyRL 0.4.0 on the CPU. Long: `SKYRL_PYTHON=<python of an environment with
 * skyrl[tinker,jax]==0.4.0 and aiohttp> npm run test:long -- test/tinker/skyrl`. SKYRL_URL names one that runs already.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LossSpec } from '@espalier/contracts';
import { engineConformance } from '@espalier/engine';
import { neg } from '@espalier/graph';
import type { LossBuilder } from '@espalier/objective';
import { createTinkerEngine } from '@espalier/tinker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
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

const bits = 'tokens are equal, the last bits of log-probabilities are not';
/** Cases that SkyRL's JAX backend cannot pass, each with what was seen. */
const leftOut: Readonly<Record<string, string>> = {
  'reports log-probabilities and entropies that score() confirms':
    'it scores at temperature 1 only, and 0.7 is refused',
  'gives a second turn the same bits whatever else is in its batch': bits,
  'gives a member the same bits alone, in its group and among other groups': bits,
  'keeps apart requests that declare a prefix and requests that do not': bits,
  'samples what score() confirms with a declared prefix':
    'sampling and training differ by 1.05e-5, and 1e-5 is allowed',
};
/** Cases that engine tinker refuses on every server, with the code. */
const refuses: Readonly<Record<string, string>> = {
  'opens a critic that begins at zero and learns returns': 'engine.unsupported',
  'opens a copy that samples with the old weights while it learns, until it is told': 'engine.unsupported',
};

describe.skipIf(!isHere)('engine tinker on SkyRL (set SKYRL_PYTHON)', () => {
  let url = given ?? '';
  let stop = (): void => undefined;
  beforeAll(async () => {
    if (given !== undefined) return;
    const server = spawn('node', [join(root, 'tools/skyrl-server.mjs'), python], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    stop = () => server.stdin.end();
    for await (const line of createInterface({ input: server.stdout })) {
      url = (JSON.parse(line) as { readonly url: string }).url;
      break;
    }
    expect(url).not.toBe('');
  }, 900_000);
  afterAll(() => stop());

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
  };
  it('leaves out and refuses cases that exist', () => {
    const titles = engineConformance.map(({ title }) => title);
    expect(Object.keys({ ...leftOut, ...refuses }).filter((title) => !titles.includes(title))).toEqual([]);
  });
  it('measures how the server weighs losses, and says so', async () => {
    const engine = await subject.create();
    expect(engine.description.notes?.join()).toMatch(/divides losses by lengths and numbers of sequences/);
    await engine.dispose();
  }, 900_000);
  for (const { title, run } of engineConformance)
    if (leftOut[title] === undefined) it(title, () => run(subject), 900_000);
});
