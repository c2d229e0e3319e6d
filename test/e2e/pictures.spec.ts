/** @file Pictures of states from the environment to the record of a run and to files; training does not see them. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { draw } from '@espalier/plugin-kit';
import { readTrajectories, type StoredTrajectory } from '@espalier/recorder';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import type { CliResult } from '../support/run-cli.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-pictures-'));
afterAll(() => removeFolder(folder));

const cli = (...words: string[]): Promise<CliResult> => callCli(words, { cwd: folder });

async function train(name: string, images: boolean): Promise<StoredTrajectory[]> {
  const { code, stderr } = await cli('train', 'run.yaml', '--out', name, '--set', `rollout.images=${images}`);
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
  return readTrajectories(join(folder, name, 'trajectories'), { step: 1 });
}

let seen: StoredTrajectory[];
beforeAll(async () => {
  writeFileSync(
    join(folder, 'run.yaml'),
    'environment: { use: frozen-lake }\nalgorithm: { use: grpo }\nsteps: 1\ndevice: { threads: 1 }\n' +
      'rollout: { promptsPerStep: 2, groupSize: 2 }\nvalidation: { every: 0, atStart: false, atEnd: false }\n',
  );
  seen = await train('seen', true);
}, 120_000);

it('keeps a picture of every state, where the player is', () => {
  const turns = seen.flatMap((trajectory) => trajectory.turns);
  expect(turns.length).toBeGreaterThanOrEqual(4);
  for (const { observation, image = '' } of turns) {
    const picture = draw.readPng(Buffer.from(image, 'base64'));
    const cell = observation.replaceAll('\n', '').search(/[PX√]/);
    const [x, y] = [(cell % 4) * 32 + 16, Math.floor(cell / 4) * 32 + 14];
    expect(['#d83020', '#f0c090']).toContain(draw.colorAt(picture, x, y));
  }
});

it('samples, scores and trains as without pictures', async () => {
  const blind = await train('blind', false);
  const comparable = ({ timings: _, turns, ...rest }: StoredTrajectory): object => ({
    ...rest,
    turns: turns.map(({ timings: _timings, image: _image, ...turn }) => turn),
  });
  expect(seen.map(comparable)).toEqual(blind.map(comparable));
  expect(blind.flatMap(({ turns }) => turns).some((turn) => 'image' in turn)).toBe(false);
  const weights = (name: string): Buffer =>
    readFileSync(join(folder, name, 'checkpoints/step-000001/policy/model.safetensors'));
  expect(weights('seen').equals(weights('blind'))).toBe(true);
});

it('saves the pictures of what it shows', async () => {
  const { stdout, stderr } = await cli('show', 'seen', '--limit', '1', '--pictures', 'shown');
  expect(stderr).not.toContain('error');
  const paths = [...stdout.matchAll(/^ {2}picture +(shown\/.+\.png)$/gm)].map(([, path = '']) => path);
  expect(paths[0]).toBe('shown/train-1-0-0-turn-1.png');
  expect(readdirSync(join(folder, 'shown')).length).toBe(paths.length);
  const [first] = seen[0]!.turns;
  expect(readFileSync(join(folder, paths[0]!)).toString('base64')).toBe(first!.image);
  const json = await cli('show', 'seen', '--limit', '1', '--json');
  const shown = JSON.parse(json.stdout) as StoredTrajectory;
  expect(shown.turns[0]!.image).toBe(first!.image);
});

it('says where there are no pictures', async () => {
  const none = await cli('show', 'blind', '--pictures', 'none');
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('train with rollout.images: true')]);
  const both = await cli('show', 'seen', '--json', '--pictures', 'none');
  expect([both.code, both.stdout]).toEqual([2, expect.stringContaining('leave one of them out')]);
  const bandit = await cli(
    'plan',
    'run.yaml',
    '--set',
    'environment.use=bandit',
    '--set',
    'rollout.images=true',
  );
  expect([bandit.code, bandit.stderr]).toEqual([3, expect.stringContaining('bandit draws no pictures')]);
});
