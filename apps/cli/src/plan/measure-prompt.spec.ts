import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSpecSchema } from '@espalier/contracts';
import type { SingleSpec } from '@espalier/contracts/mixing';
import type { PluginLookup } from '@espalier/trainer';
import { expect, it } from 'vitest';
import bandit from '../../../../plugins/environments/bandit/src/index.js';
import { writeTinyModel } from '../../../../test/support/tiny-model.js';
import { measurePrompt } from './measure-prompt.js';
import type { OpenedModel } from '../local/open-model.js';

it('refuses to plan with a tokenizer that changes texts, and measures with one that does not', async () => {
  const folder = writeTinyModel(mkdtempSync(join(tmpdir(), 'espalier-prompt-')));
  const registry = { get: () => bandit } as unknown as PluginLookup;
  const environment = { use: 'bandit', ...bandit.params.parse({}) };
  const rollout = { maxTurns: 1, maxActions: 1, maxActionsPerTurn: 1 };
  const spec = runSpecSchema.parse({ environment, algorithm: { use: 'none' }, rollout });
  const measure = () => measurePrompt(spec as SingleSpec, { folder } as OpenedModel, registry);
  expect((await measure()).first).toBeGreaterThan(20);
  const file = join(folder, 'tokenizer.json');
  const tokenizer = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify({ ...tokenizer, normalizer: { type: 'Lowercase' } }));
  await expect(measure()).rejects.toMatchObject({ code: 'rollout.unsupported_template' });
  rmSync(folder, { recursive: true });
});
