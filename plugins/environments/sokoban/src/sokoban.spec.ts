import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { generateLevel, type LevelOptions, tryGenerate } from './generate.js';
import sokoban from './index.js';
import { cells, type Level } from './level.js';
import { createSokoban } from './sokoban.js';
import { solve } from './solve.js';
import { defaultSymbols, gridText, symbolTable } from './text.js';

testEnvironment(sokoban, { params: {}, oracleSolves: 1 });
testEnvironment(sokoban, { params: { dims: [8, 8], boxes: 2, searchDepth: 10 }, oracleSolves: 1 });
testEnvironment(sokoban, {
  params: {
    symbols: {
      wall: 'W',
      floor: '.',
      target: 'G',
      boxOnTarget: 'C',
      box: 'B',
      player: 'A',
      playerOnTarget: '@',
    },
    observation: 'grid_coord',
  },
});

interface GoldenLevel {
  seed: number;
  error?: string;
  fixed: number[][];
  state: number[][];
  render: string;
  box_mapping: [[number, number], [number, number]][];
  reverse_actions: number[];
  solution: number[] | null;
}

const golden = (name: string): GoldenLevel[] =>
  JSON.parse(readFileSync(join(goldenFolder('sokoban'), `sokoban_${name}.json`), 'utf8')) as GoldenLevel[];
const simple: LevelOptions = { rows: 6, columns: 6, boxes: 1, searchDepth: 300 };
const table = symbolTable(defaultSymbols);

describe('the reference', () => {
  it.each([
    ['simple_123', simple],
    ['simple_155', simple],
    ['vocab_123', { ...simple, searchDepth: 30 }],
    ['larger_123', { rows: 8, columns: 8, boxes: 2, searchDepth: 10 }],
  ])('has the same levels in %s', (name, options) => {
    for (const expected of golden(name)) {
      const level = tryGenerate(expected.seed, options);
      if (expected.error !== undefined) {
        expect(level).toBeUndefined();
        continue;
      }
      expect([...level!.fixed]).toEqual(expected.fixed.flat());
      expect([...level!.state]).toEqual(expected.state.flat());
      expect(gridText(level!, table)).toBe(expected.render);
      expect(level!.reverseActions).toEqual(expected.reverse_actions);
      const pairs = expected.box_mapping.map((pair) =>
        pair.map(([row, column]) => row * options.columns + column),
      );
      expect(level!.pairs).toEqual(pairs);
      if (expected.solution !== null) expect(solve(level!)).toHaveLength(expected.solution.length);
    }
  });
});

/** A level from rows of default symbols. */
function levelOf(...rows: string[]): Level {
  const codes = [...rows.join('')].map((symbol) => table.indexOf(symbol));
  return {
    rows: rows.length,
    columns: rows[0]!.length,
    fixed: Uint8Array.from(
      codes.map((code) => ([2, 3, 6].includes(code) ? cells.target : code === 0 ? 0 : cells.floor)),
    ),
    state: Uint8Array.from(codes.map((code) => Math.min(code, cells.player))),
  };
}

describe('generateLevel', () => {
  it('goes on with a fixed seed where one gives no level', () => {
    const options = { rows: 8, columns: 8, boxes: 2, searchDepth: 10 };
    const level = generateLevel(135, options);
    expect(level.seed).not.toBe(135);
    expect(generateLevel(135, options)).toEqual(level);
    expect(tryGenerate(level.seed, options)).toEqual(level);
  });

  it('says what to change when no level can be found', () => {
    expect(() => generateLevel(1, { rows: 5, columns: 5, boxes: 5, searchDepth: 2 })).toThrow(/fewer boxes/);
  });
});

describe('createSokoban', () => {
  const params = sokoban.params.parse({});
  const start = (...rows: string[]): ReturnType<typeof createSokoban> => {
    const instance = createSokoban(params);
    const { fixed, state, ...shape } = levelOf(...rows);
    instance.restore!({ ...shape, fixed: [...fixed], state: [...state], steps: 0 });
    return instance;
  };

  it('pays -0.1 a step, +1 onto a target, -1 off it, +10 for all', async () => {
    const two = start('########', '#PXO__O#', '#____X_#', '#______#', '########');
    expect(await two.step('Right')).toMatchObject({ reward: 0.9, done: false, effective: true });
    expect(await two.step('Right')).toMatchObject({ reward: -1.1, done: false });
    expect(two.render()).toContain('#__SX_O#');
    const one = start('#####', '#PXO#', '#####');
    expect(await one.step('Right')).toMatchObject({ reward: 10.9, done: true, success: true });
  });

  it('does not move into walls nor push two boxes', async () => {
    const instance = start('######', '#PXX_#', '#__OO#', '######');
    expect(await instance.step('Right')).toMatchObject({ reward: -0.1, effective: false, valid: true });
    expect(await instance.step('Up')).toMatchObject({ effective: false });
  });

  it('ends without success after its own step limit', async () => {
    const instance = createSokoban({ ...params, maxSteps: 2 });
    await instance.reset({ state: 123, noise: 0 });
    expect(await instance.step('Up')).toMatchObject({ done: false });
    expect(await instance.step('Up')).toMatchObject({ done: true, success: false });
  });

  it('sees a box in a corner as a deadlock, and has no plan then', () => {
    const instance = start('######', '#X__O#', '#_P__#', '######');
    expect(instance.facts!()['deadlock']).toBe(true);
    expect(instance.oracle!()).toEqual([]);
    expect(start('######', '#_X_O#', '#_P__#', '######').facts!()['deadlock']).toBe(false);
  });

  it('explains by relative positions', () => {
    const instance = start('######', '#____#', '#_X__#', '#__P_#', '#O___#', '######');
    expect(instance.explain!(instance.oracle!())).toBe('box 1 up 1 left. target 2 down 1 left of box.');
    const facts = instance.facts!();
    expect(facts).toMatchObject({
      player: [3, 3],
      boxesFromPlayer: [[-1, -1]],
      targetsFromPlayer: [[1, -2]],
    });
  });

  it('explains the box that the plan pushes first and where it ends', () => {
    const instance = start('########', '#O_X_P_#', '#______#', '#_X__O_#', '########');
    const plan = instance.oracle!();
    expect(instance.explain!(plan)).toBe('box 2 left. target 2 left of box.');
  });

  it('lists coordinates as the reference does', async () => {
    const instance = createSokoban({ ...params, observation: 'coord' });
    const { text } = await instance.reset({ state: 123, noise: 0 });
    expect(text).toBe(
      'Board size: 6 rows x 6 cols (zero-indexed).\nTargets: (2, 1)\nBoxes: (3, 1)\nPlayer: (3, 2)',
    );
  });
});
