import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';

const page = readFileSync('docs/use/mixing.md', 'utf8');
const yaml = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'espalier-mixing-page-'));
afterAll(() => rmSync(folder, { recursive: true }));

const small = [
  'steps=1',
  'rollout.groupSize=2',
  'environments.lake.groups=2',
  'environments.arms.groups=1',
  'validation.episodes=4',
  'validation.environments.boxes.episodes=3',
  'device.threads=1',
];

describe('docs/use/mixing.md', () => {
  it('shows a run that trains, reports each tag and is measured again', async () => {
    const file = join(folder, 'mixed.yaml');
    const run = join(folder, 'run');
    writeFileSync(file, yaml);
    const sets = small.flatMap((set) => ['--set', set]);
    const trained = await callCli(['train', file, '--out', run, ...sets]);
    expect(trained.stderr).not.toContain('error');
    expect(trained.code).toBe(0);
    for (const line of [
      / {2}lake {3}trained {6}\d/,
      / {2}arms {3}trained {6}\d/,
      / {2}boxes {2}not trained {2}\d/,
    ])
      expect(trained.stdout).toMatch(line);
    const shown = await callCli(['show', run, '--step', '1', '--tag', 'arms', '--json']);
    const lines = shown.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ environmentTag, group }) => [environmentTag, group])).toEqual([
      ['arms', 2],
      ['arms', 2],
    ]);
    const other = await callCli(['show', run, '--tag', 'arm']);
    expect(other.stderr).toContain('no trajectories of tag arm; tags are lake, arms');
    const measured = await callCli(['eval', run, '--json']);
    const { episodes, tags } = JSON.parse(measured.stdout) as {
      episodes: number;
      tags: { tag: string; trained: boolean; episodes: number }[];
    };
    expect([episodes, tags.map(({ tag, trained, episodes: own }) => [tag, trained, own])]).toEqual([
      8,
      [
        ['lake', true, 4],
        ['arms', true, 4],
        ['boxes', false, 3],
      ],
    ]);
  }, 240_000);

  it('names options that exist', () => {
    expect(Object.keys(parse(yaml) as object)).toEqual(['environments', 'algorithm', 'steps', 'validation']);
  });
});
