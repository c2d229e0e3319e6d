import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverOptions } from '../../config/server-options.js';
import { CommandLine } from '../runs/command-line.service.js';
import { RunEstimator } from '../runs/create/run-estimator.service.js';
import { startCatalogue } from './catalogue-link.js';
import type { PluginCatalogue } from './plugin-catalogue.service.js';

const secrets = {
  ESPALIER__SERVER__DATABASE__URL: 'hush',
  ESPALIER_KEY: 'hush',
  AWS_SECRET_ACCESS_KEY: 'hush',
  PGPASSWORD: 'hush',
  DATABASE_URL: 'hush',
  REDIS_URL: 'hush',
  OPENAI_API_KEY: 'hush',
};
const own = { HF_TOKEN: 'shown', HTTPS_PROXY: 'http://shown', ...secrets };
const before: Record<string, string | undefined> = {};
let root = '';
beforeAll(() => {
  for (const name of Object.keys(own)) before[name] = process.env[name];
  Object.assign(process.env, own);
  root = mkdtempSync(join(tmpdir(), 'espalier-secrets-'));
});
afterAll(() => {
  for (const [name, value] of Object.entries(before))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  removeFolder(root);
});

describe('what plugins see of the environment of a server', () => {
  it('are no secrets in the process that estimates', async () => {
    const cli = join(root, 'cli.mjs');
    writeFileSync(cli, 'console.log(JSON.stringify({ estimate: process.env }))');
    const passEnvironment = ['HF_TOKEN', 'OPENAI_API_KEY'];
    const options = serverOptions.parse({ plugins: { cli, passEnvironment } });
    const estimator = new RunEstimator(
      options,
      new CommandLine(options, { root } as unknown as PluginCatalogue),
    );
    const { estimate, estimateReason } = await estimator.estimate({});
    expect(estimateReason).toBeNull();
    expect(estimate).toMatchObject({
      HF_TOKEN: 'shown',
      HTTPS_PROXY: 'http://shown',
      OPENAI_API_KEY: 'hush',
    });
    const seen = Object.keys(estimate ?? {}).filter((name) => name in secrets);
    expect(seen).toEqual(['OPENAI_API_KEY']);
  });

  it.runIf(existsSync('/proc/self/environ'))('are none in the process that loads plugins', async () => {
    const link = await startCatalogue(root, 30_000, ['HF_TOKEN']);
    const seen = readFileSync(`/proc/${link.pid}/environ`, 'utf8');
    link.close();
    expect(seen).toContain('HF_TOKEN=shown');
    expect(seen).not.toContain('hush');
  });
});
