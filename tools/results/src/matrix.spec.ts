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

describe('a grid', () => {
  const loadText = (text: string): Matrix => {
    const file = join(folder, 'grid.yaml');
    writeFileSync(file, text);
    return loadMatrix(file);
  };

  it('is an entry for every algorithm in every environment, whose changes come last', () => {
    const { entries } = loadText(`entries:
  - { name: run, title: Run, config: run.yaml, seeds: 1, minutes: 1 }
grid:
  seeds: 2
  environments:
    - { name: lake, title: Lake, config: lake.yaml, set: [steps=3], minutes: 5 }
    - { name: box, title: Box, config: box.yaml, minutes: 9 }
  algorithms:
    - { name: grpo, title: GRPO }
    - { name: ppo, title: PPO, set: [algorithm.use=ppo] }
`);
    expect(entries.map(({ name }) => name)).toEqual(['run', 'lake-grpo', 'lake-ppo', 'box-grpo', 'box-ppo']);
    expect(entries[2]).toEqual({
      name: 'lake-ppo',
      title: 'Lake, PPO',
      config: 'lake.yaml',
      set: ['steps=3', 'algorithm.use=ppo'],
      seeds: 2,
      minutes: 5,
      samples: false,
    });
  });

  it('cannot have an entry twice, and a matrix cannot be empty', () => {
    const environment = '{ name: lake, title: Lake, config: lake.yaml, minutes: 5 }';
    const algorithm = '{ name: grpo, title: GRPO }';
    expect(() =>
      loadText(
        `grid: { seeds: 1, environments: [${environment}], algorithms: [${algorithm}, ${algorithm}] }\n`,
      ),
    ).toThrow('the name "lake-grpo" is used twice');
    expect(() =>
      loadText(
        'entries: [{ name: lake, title: Lake, config: lake.yaml, seeds: 1, minutes: 5, compareWith: pond }]\n',
      ),
    ).toThrow('the entry "lake" has `compareWith`');
    expect(() => loadText('title: Nothing\n')).toThrow('it has neither entries nor a grid');
  });
});
