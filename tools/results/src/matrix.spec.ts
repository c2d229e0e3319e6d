import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lineage, loadMatrix, type Matrix } from './matrix.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-matrix-'));
afterAll(() => rmSync(folder, { recursive: true }));

const load = (models: string): Matrix => {
  const file = join(folder, 'matrix.yaml');
  writeFileSync(
    file,
    `models:\n${models}\nentries:\n  - { name: run, title: Run, config: run.yaml, model: last, seeds: 1, minutes: 1 }\n`,
  );
  return loadMatrix(file);
};
const named = (matrix: Matrix): string[] => lineage(matrix, { model: 'last' }).map(({ name }) => name);

describe('the models of a matrix', () => {
  it('lead from a script over warm starts to the one that runs start from', () => {
    const matrix = load(`  - { name: first, title: First, script: make.mjs }
  - { name: last, title: Last, from: first, warmStart: warm.yaml }`);
    expect(named(matrix)).toEqual(['first', 'last']);
  });

  it('may begin with a warm start whose configuration names the student', () => {
    expect(named(load('  - { name: last, title: Last, warmStart: warm.yaml }'))).toEqual(['last']);
  });

  it('are refused when one starts from a model that is not before it', () => {
    expect(() => load('  - { name: last, title: Last, from: first, warmStart: warm.yaml }')).toThrow(
      'the model "last" starts from "first", which is none of those before it',
    );
  });
});
