/** @file Checkpoints that equal their manifest and still hold files nobody could have written: what resuming makes of them. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import ppo from '@espalier/algorithm-ppo';
import { runLayout, type RunSpec } from '@espalier/contracts';
import { writeManifest } from '@espalier/files';
import { loadSafetensors, saveSafetensors } from '@espalier/model';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../support/long.js';
import { saveTinyModel, tinyTrainingSpec, type TinyOutcome, trainTiny } from '../support/tiny-training.js';

let root: string;
let spec: RunSpec;
let pristine: TinyOutcome;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-malformed-'));
  const critics = ppo.params.parse({ critics: 2, klCoefficient: 0.05, entropyCoefficient: 0.01 });
  spec = tinyTrainingSpec(saveTinyModel(join(root, 'model')), {
    algorithm: { use: 'ppo', ...critics },
    validation: { every: 4, episodes: 2 },
  });
  pristine = await trainTiny(spec, join(root, 'pristine'));
}, 120_000);
afterAll(() => removeFolder(root));

/** Changes one file of a checkpoint and seals the folder anew, as another program might. */
type Change = (path: string) => void;
const write =
  (text: string): Change =>
  (path) =>
    writeFileSync(path, text);
const remove: Change = (path) => rmSync(path, { recursive: true });
const edit =
  (change: (value: Record<string, unknown>) => unknown): Change =>
  (path) =>
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')) as never)));
const editTensors =
  (
    change: (tensors: Map<string, { shape: readonly number[]; data: Float32Array }>) => void,
    keepMetadata = true,
  ): Change =>
  (path) => {
    const { tensors, metadata } = loadSafetensors(path);
    const held = tensors as unknown as Parameters<typeof change>[0];
    change(held);
    saveSafetensors(path, held, keepMetadata ? metadata : {});
  };
const spoil = (value: number): Change =>
  editTensors((tensors) => [...tensors.values()][0]?.data.set([value], 0));

/** A copy of the run whose checkpoints of the given steps are changed. */
function cloneWith(name: string, change: Change, steps = [4]): string {
  const folder = join(root, 'changed');
  rmSync(folder, { recursive: true, force: true });
  cpSync(pristine.folder, folder, { recursive: true });
  for (const step of steps) {
    const checkpoint = join(folder, `checkpoints/step-00000${step}`);
    change(join(checkpoint, name));
    rmSync(join(checkpoint, runLayout.manifest));
    writeManifest(checkpoint);
  }
  return folder;
}

const warningsOf = ({ events }: TinyOutcome): string =>
  events.flatMap((event) => (event.kind === 'warning' ? [`${event.code} ${event.message}`] : [])).join('\n');

/** Files of settings and counters, all read in one way before any weights; the long form has those after the second. */
const ofSettings: readonly [string, string, Change, RegExp][] = [
  ['no counters', 'state.json', write('[]'), /"state.json" does not hold the counters/],
  [
    'logs outside the run',
    'logs.json',
    edit((logs) => ({ ...logs, files: { '../x': { bytes: 0, sha256: '0'.repeat(64) } } })),
    /"logs.json" lacks/,
  ],
  ['no JSON', 'state.json', write('{"step": 4'), /"state.json" is not JSON/],
  ['no state', 'state.json', remove, /"state.json" is missing/],
  ['null as spec', 'spec.json', write('null'), /"spec.json" does not name the environment/],
  ['a spec without algorithm', 'spec.json', edit(({ algorithm: _, ...rest }) => rest), /name the algorithm/],
  ['no start', 'start.json', write('{"folder": 3}'), /"start.json" lacks the folder/],
  [
    'logs without length',
    'logs.json',
    write('{"attempt":1,"files":{"a":{}}}'),
    /"logs.json" lacks the attempt/,
  ],
];

describe('a checkpoint that equals its manifest', () => {
  it.each<[string, string, Change, RegExp]>([
    ...(isLong ? ofSettings : ofSettings.slice(0, 2)),
    ['no moments', 'policy/optimizer.safetensors', remove, /optimizer.safetensors: the file is missing/],
    [
      'no critic',
      'critic',
      remove,
      /critic.model.safetensors: the file is missing; the critic cannot be trained further without it/,
    ],
    ['no second critic', 'critic-2', remove, /critic-2.model.safetensors: the file is missing/],
    ['no critic moments', 'critic/optimizer.safetensors', remove, /the file is missing; the critic/],
    ['text for weights', 'critic/model.safetensors', write('weights'), /critic.model.safetensors/],
    ['NaN among weights', 'critic/model.safetensors', spoil(NaN), /is NaN at index 0/],
    ['infinite moments', 'policy/optimizer.safetensors', spoil(Infinity), /is Infinity at index 0/],
    [
      'a parameter too few',
      'policy/optimizer.safetensors',
      editTensors((tensors) => tensors.delete([...tensors.keys()].at(-1) ?? '')),
      /" missing; expected \[/,
    ],
    [
      'moments of another kind of file',
      'critic/optimizer.safetensors',
      editTensors(() => undefined, false),
      /no step count; the file is no optimizer state/,
    ],
    ['another model', 'policy/config.json', edit((c) => ({ ...c, hidden_size: 32 })), /has the shape \[/],
    ['no configuration', 'policy/config.json', remove, /config.json: the file is missing/],
  ])(
    'with %s is named and set aside, and the one before is used',
    async (_what, name, change, sentence) => {
      const folder = cloneWith(name, change);
      const resumed = await trainTiny(spec, folder, { resume: true });
      const warnings = warningsOf(resumed);
      expect(warnings).toMatch(sentence);
      expect(warnings).toContain(basename(name));
      expect(warnings).toMatch(
        /^trainer\.corrupt_checkpoint load checkpoint .*set aside as ".*corrupt-step-000004-1"/,
      );
      expect(existsSync(join(folder, 'checkpoints/corrupt-step-000004-1'))).toBe(true);
      expect(resumed.hashes).toEqual(pristine.hashes);
    },
    60_000,
  );

  it('is refused with its file named where no other is left, and stays where it is', async () => {
    const folder = cloneWith('critic/optimizer.safetensors', remove, [2, 4]);
    await expect(trainTiny(spec, folder, { resume: true })).rejects.toMatchObject({
      code: 'trainer.corrupt_checkpoint',
      message: expect.stringMatching(
        /all 2 checkpoint\(s\) are corrupt, .*critic.optimizer.safetensors: the file is missing/,
      ) as unknown,
    });
    expect(existsSync(join(folder, 'checkpoints/step-000004'))).toBe(true);
  });
});
