import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { applyOverrides, loadConfig } from '@espalier/config';
import { loadSweep } from '@espalier/config/sweep';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chooseVariants, listSweepRuns, openSweepLedger, type SweepRun } from '../sweep/sweep-runs.js';
import { describeSubjects } from './describe-subject.js';
import { measureSubject } from './measure-subject.js';
import { readSubjects } from './read-subject.js';

let folder = '';
let file = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-subject-'));
  writeFileSync(join(folder, 'run.yaml'), '{ environment: { use: bandit }, algorithm: { use: grpo } }\n');
  writeFileSync(
    join(folder, 'two.yaml'),
    'title: Two\nconfig: run.yaml\nseeds: [1, 2]\nvariants: { a: {}, b: {} }\n',
  );
  file = loadSweep(join(folder, 'two.yaml')).file;
});
afterAll(() => removeFolder(folder));

/** Begins a sweep as its command does; nothing is trained. */
function begin(
  name: string,
  asked: { set?: string[]; only?: string[]; seeds?: number[]; server?: string },
): string {
  const { set = [], only = [], seeds, server } = asked;
  const found = loadSweep(file, set);
  const out = join(folder, name);
  const runs = listSweepRuns(chooseVariants(found, only), seeds ?? found.spec.seeds, out);
  const head = { name: found.name, file, spec: found.spec, set };
  openSweepLedger(out, { ...head, ...(server === undefined ? {} : { server }) }, runs);
  return out;
}

/** Leaves what a sweep leaves when it starts a run. */
const request = ({ config, overrides, folder: own }: SweepRun): void =>
  writeFileSync(`${own}.request.json`, JSON.stringify(applyOverrides(loadConfig(config), overrides).value));

/** Leaves what a run leaves that has ended after so many steps. */
function end({ folder: own }: SweepRun, steps: number): void {
  mkdirSync(own, { recursive: true });
  const spec = { environment: { use: 'bandit' }, algorithm: { use: 'grpo' }, model: {}, update: {}, steps };
  writeFileSync(join(own, 'spec.json'), JSON.stringify(spec));
  writeFileSync(join(own, 'events.jsonl'), '{"kind":"run-ended","outcome":"finished"}\n');
}

const resumeOf = (out: string): string | undefined => readSubjects([out])[0]?.resume;

it('names the folder where a sweep is not in its own', () => {
  expect(resumeOf(begin('plain', {}))).toBe(`sweep ${file} --out ${join(folder, 'plain')}`);
  expect(resumeOf(file)).toBe(`sweep ${file}`);
});

it('resumes a sweep with what it was begun with', () => {
  const out = begin('asked', { set: ['steps=3'], seeds: [7, 8], server: 'http://localhost:8080' });
  expect(resumeOf(out)).toBe(
    `sweep ${file} --set steps=3 --seeds 7,8 --out ${out} --server http://localhost:8080`,
  );
});

it('resumes only the variants that were begun', () => {
  const out = begin('part', { only: ['b'] });
  expect(resumeOf(out)).toBe(`sweep ${file} --only b --out ${out}`);
});

it('prints that command', () => {
  const out = begin('printed', { set: ['steps=3'] });
  const blocks = describeSubjects(readSubjects([out]).map(measureSubject), 'espalier');
  expect(JSON.stringify(blocks)).toContain(`espalier sweep ${file} --set steps=3 --out ${out}`);
});

it('counts a run as ended only where it has the steps that its sweep asks for now', () => {
  const listed = (steps: number) =>
    listSweepRuns(loadSweep(file, [`steps=${steps}`]).variants, [1, 2], join(folder, 'longer'));
  const out = begin('longer', { set: ['steps=4'] });
  const found = loadSweep(file);
  const ledger = openSweepLedger(out, { ...found, set: [] }, listed(4));
  for (const run of listed(4)) {
    request(run);
    end(run, 4);
    ledger.set(run, { state: 'finished' });
  }
  const sorted = () => {
    const [{ ended = [], missing = [] } = {}] = readSubjects([out]);
    return [ended.map(({ folder: own }) => basename(own)), missing];
  };
  const names = listed(4).map(({ name }) => name);
  begin('longer', { set: ['steps=4'], only: ['a'] });
  expect(sorted()).toEqual([names, []]);
  begin('longer', { set: ['steps=8'] });
  expect(sorted()).toEqual([[], names.map((name) => ({ name, why: 'unfinished' }))]);
  // the first is stopped before it has begun with them, the second has them
  const again = openSweepLedger(out, { ...found, set: [] }, []);
  const [first, second] = listed(8) as [SweepRun, SweepRun];
  request(first);
  again.set(first, { state: 'stopped' });
  request(second);
  end(second, 8);
  again.set(second, { state: 'finished' });
  expect(sorted()).toMatchObject([[second.name], [{ name: first.name }, {}, {}]]);
});
