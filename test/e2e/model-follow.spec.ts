/** @file `espalier model serve RUN --follow`, next to checkpoints that appear one after the other. */
import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterAll, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-follow-'));
afterAll(() => removeFolder(folder));

it('goes over to each newer checkpoint of a run, which answers say', { timeout: 120_000 }, async () => {
  const model = writeTinyModel(join(folder, 'tiny'));
  const config = join(folder, 'run.yaml');
  writeFileSync(
    config,
    `model: { path: ${model} }
environment: { use: bandit }
algorithm: { use: grpo }
steps: 2
rollout: { promptsPerStep: 1, groupSize: 2, maxResponseTokens: 8 }
validation: { every: 0, atStart: false, atEnd: false }
checkpoint: { every: 1 }
`,
  );
  const run = join(folder, 'run');
  expect(await callCli(['train', config, '--out', run])).toMatchObject({ code: 0 });
  const [second, aside] = [join(run, 'checkpoints/step-000002'), join(folder, 'aside')];
  renameSync(second, aside);

  const stop = new AbortController();
  let output = '';
  const served = runCli(['model', 'serve', run, '--follow', '--port', '0', '--json'], {
    signal: stop.signal,
    onOutput: (text) => (output = text),
  });
  const lines = (): { readonly url?: string; readonly step?: number; readonly folder: string }[] =>
    output
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  await expect.poll(() => lines().length, { timeout: 60_000 }).toBe(1);
  const ask = async (): Promise<string | null> => {
    const answer = await fetch(`${lines()[0]?.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 4 }),
    });
    expect(answer.status).toBe(200);
    return answer.headers.get('x-policy-version');
  };
  expect(await ask()).toBe('1');
  renameSync(aside, second);
  await expect.poll(() => lines().length, { timeout: 30_000 }).toBe(2);
  expect(lines()[1]).toEqual({ step: 2, folder: join(second, 'policy') });
  expect(await ask()).toBe('2');
  stop.abort('SIGTERM');
  expect((await served).code).toBe(0);

  mkdirSync(join(folder, 'empty'));
  for (const other of [model, 'seedling', join(folder, 'empty')])
    expect(await callCli(['model', 'serve', other, '--follow'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is no folder of a run with checkpoints'),
    });
});
