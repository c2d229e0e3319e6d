import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attemptEvent, type AttemptEvent } from '@espalier/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

let root: string;
let events: AttemptEvent[];
let lines: string[];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-outbox-'));
  const model = writeTinyModel(join(root, 'model'));
  const spec = {
    name: 'with-outbox',
    model: { path: model },
    environment: { use: 'bandit' },
    algorithm: { use: 'grpo' },
    steps: 2,
    rollout: { promptsPerStep: 2, groupSize: 2, maxResponseTokens: 8 },
    device: { threads: 1 },
    validation: { every: 2, episodes: 2 },
  };
  writeFileSync(join(root, 'spec.yaml'), JSON.stringify(spec));
  const words = ['train', join(root, 'spec.yaml'), '--out', join(root, 'run')];
  const { code, stderr } = await runCli([...words, '--events', join(root, 'outbox.jsonl')]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  lines = readFileSync(join(root, 'outbox.jsonl'), 'utf8').trimEnd().split('\n');
  events = lines.map((line) => attemptEvent.parse(JSON.parse(line)));
}, 120_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('train --events', () => {
  it('writes lines that the protocol knows, from start to end', () => {
    expect(events[0]).toMatchObject({ kind: 'run-started', step: 0, steps: 2, attempt: 1 });
    expect(events.at(-1)).toMatchObject({ kind: 'run-ended', step: 2, outcome: 'finished' });
    const steps = events.flatMap((event) => (event.kind === 'metrics' ? [event.step] : []));
    expect(new Set(steps)).toEqual(new Set([0, 1, 2]));
  });

  it('tells of every trajectory by row and text, without tokens', () => {
    const rows = events.flatMap((event) => (event.kind === 'trajectory' ? [event.row] : []));
    expect(rows.filter(({ split }) => split === 'train')).toHaveLength(8);
    expect(rows.filter(({ split }) => split === 'validation')).toHaveLength(4);
    for (const row of rows) {
      expect(row.text.length).toBeGreaterThan(20);
      expect(row.sampledTokens).toBeGreaterThan(0);
      expect(row.tokens).toBeGreaterThan(row.sampledTokens);
    }
    expect(lines.join('')).not.toContain('logprobs');
  });

  it('names checkpoints that are there', () => {
    const folders = events.flatMap((event) => (event.kind === 'checkpoint' ? [event.folder] : []));
    expect(folders.length).toBeGreaterThan(0);
    expect(existsSync(join(folders.at(-1) ?? '', 'manifest.json'))).toBe(true);
  });
});
