import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSweep } from '@espalier/config/sweep';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chooseVariants, listSweepRuns, openSweepLedger } from '../sweep/sweep-runs.js';
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
