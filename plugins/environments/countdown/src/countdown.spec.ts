import { createStream } from '@espalier/plugin-kit';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import { judge } from './answer.js';
import countdown from './index.js';
import { drawPuzzle } from './drawing.js';
import { type PuzzleOptions, solve } from './puzzle.js';

testEnvironment(countdown, { oracleSolves: 1 });
testEnvironment(countdown, { params: { variant: 'steps' }, oracleSolves: 1 });
testEnvironment(countdown, {
  params: { operators: 'all', count: [4, 6], highest: 100, target: [100, 999] },
  oracleSolves: 1,
});
testEnvironment(countdown, {
  params: { variant: 'steps', operators: 'all', count: [4, 5], target: [10, 999], numbersUsed: 'some' },
  oracleSolves: 1,
});

const create = (given: Record<string, unknown> = {}): ReturnType<typeof countdown.create> =>
  countdown.create(countdown.params.parse(given));
const defaults: PuzzleOptions = { count: [3, 4], highest: 99, target: [10, 99], operators: 'signs' };

describe('an answer, by the rules of RAGEN', () => {
  const puzzle = { numbers: [25, 7, 6], target: 38 };
  const points = (answer: string, options: Partial<Parameters<typeof judge>[2]> = {}): number => {
    const judged = judge(answer, puzzle, { numbersUsed: 'all', arithmetic: 'fractions', ...options });
    return judged.isTarget ? 1 : judged.usesNumbers ? 0.1 : 0;
  };

  it.each([
    ['25 + 7 + 6', 1],
    ['(7+25)+6', 1],
    ['25 + 7 - 6', 0.1],
    ['25 7 6', 0.1],
    ['25 / (7 - 7) + 6', 0],
    ['25 / 0 + 7 + 6', 0],
    ['25 + 07 + 6', 0.1],
    ['25.7 + 6', 0.1],
    ['the numbers 25, 7 and 6', 0.1],
    ['25 + 13', 0],
    ['38', 0],
    ['25 + 7 + 6 = 38', 0],
    ['25 + 7', 0],
    ['', 0],
    ['25 + 7 + 6 + 6', 0],
    ['Target: 38, nums: [25, 7, 6]', 0],
    ['__proto__', 0],
    [`25 + 7 + 6${' '.repeat(200)}`, 0],
  ])('%j gets %d', (answer, expected) => {
    expect(points(answer)).toBe(expected);
  });

  it('may leave numbers out where that is allowed, and use the operators of Python', () => {
    const other = { numbers: [25, 13, 6], target: 38 };
    expect(judge('25 + 13', other, { numbersUsed: 'some', arithmetic: 'fractions' }).isTarget).toBe(true);
    const powers = { numbers: [2, 5, 6], target: 38 };
    expect(judge('2 ** 5 + 6', powers, { numbersUsed: 'all', arithmetic: 'python' }).isTarget).toBe(true);
    expect(judge('2 ** 5 + 6', powers, { numbersUsed: 'all', arithmetic: 'fractions' })).toMatchObject({
      usesNumbers: true,
      isComputed: false,
    });
  });

  it('ends the episode and says its points', async () => {
    const instance = create({ count: [3, 3], highest: 20 });
    await instance.reset({ state: 3, noise: 0 });
    const { numbers } = instance.facts!() as { numbers: number[] };
    const result = await instance.step(`${numbers.join(' * ')} * 0`.replace(' * 0', ''));
    expect(result).toMatchObject({
      reward: 0.1,
      done: true,
      success: false,
      valid: true,
      effective: true,
      metrics: { right_numbers: 1 },
      observation: { text: 'Your answer gets 0.1 points.' },
    });
    await instance.reset({ state: 3, noise: 0 });
    expect(await instance.step('1000')).toMatchObject({ reward: 0, valid: false, effective: false });
    const generous = create({ count: [3, 3], highest: 20, partialScore: 0.4 });
    await generous.reset({ state: 3, noise: 0 });
    expect((await generous.step(numbers.join(' * '))).reward).toBe(0.4);
  });
});

describe('one calculation at a time', () => {
  const play = async (...actions: string[]) => {
    const instance = create({ variant: 'steps' });
    instance.restore!({ numbers: [6, 4, 3], target: 8, last: 0 });
    const results = [];
    for (const action of actions) results.push(await instance.step(action));
    return { instance, results };
  };

  it('pays when the last number is the target', async () => {
    const { results } = await play('6 * 4', '24 / 3');
    expect(results.map(({ reward, done, success }) => [reward, done, success])).toEqual([
      [0, false, false],
      [1, true, true],
    ]);
    expect(results[0]?.observation.text).toBe('Target: 8, nums: [3, 24]');
  });

  it('pays a little for another last number, and nothing for what is no calculation', async () => {
    const { results } = await play('6 + 4', '10 + 3');
    expect(results[1]).toMatchObject({ reward: 0.1, done: true, success: false });
    const illegal = [
      '4 / 3',
      '3 - 4',
      '6 + 5',
      '6 + 6',
      '4 - 4',
      '6 ** 4',
      '6 + 4 + 3',
      '',
      'x',
      '06 + 4'.repeat(20),
    ];
    const { results: refused, instance } = await play(...illegal);
    for (const result of refused)
      expect(result).toMatchObject({ reward: 0, done: false, valid: false, effective: false });
    expect(instance.render()).toBe('6  4  3  →  8');
  });

  it('ends as soon as the target appears where numbers may be left over', async () => {
    const instance = create({ variant: 'steps', numbersUsed: 'some' });
    instance.restore!({ numbers: [6, 2, 3], target: 8, last: 0 });
    expect(instance.oracle!()).toEqual(['6 + 2']);
    expect(await instance.step('6 + 2')).toMatchObject({ reward: 1, done: true, success: true });
  });

  it('has no plan where there is no way', () => {
    const instance = create({ variant: 'steps' });
    instance.restore!({ numbers: [1, 1], target: 50, last: 0 });
    expect(instance.oracle!()).toEqual([]);
  });
});

describe('the puzzles', () => {
  it('are in range, solved by their solution, and differ between seeds', () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 2000; seed++) {
      const puzzle = drawPuzzle(seed, defaults)!;
      expect(puzzle.target).toBeGreaterThanOrEqual(10);
      expect(puzzle.target).toBeLessThanOrEqual(99);
      expect(puzzle.solution).toMatch(/^[\d +-]+$/);
      expect(judge(puzzle.solution, puzzle, { numbersUsed: 'all', arithmetic: 'whole' }).isTarget).toBe(true);
      seen.add(JSON.stringify(puzzle));
    }
    expect(seen.size).toBeGreaterThan(1990);
  });

  it('of all operators are solved by their solution with whole numbers only', () => {
    for (let seed = 0; seed < 1000; seed++) {
      const puzzle = drawPuzzle(seed, { ...defaults, operators: 'all', count: [3, 6], target: [10, 999] })!;
      expect(judge(puzzle.solution, puzzle, { numbersUsed: 'all', arithmetic: 'whole' }).isTarget).toBe(true);
    }
  });

  it('are solved by the search exactly when brute force over all orders solves them', () => {
    const stream = createStream(5);
    let solvable = 0;
    for (let round = 0; round < 300; round++) {
      const numbers = Array.from({ length: 3 }, () => 1 + stream.int(12));
      const target = 1 + stream.int(60);
      const found = solve(numbers, target, ['+', '-', '*', '/'], 'all');
      expect(found.length > 0, `${numbers.join()} to ${target}`).toBe(isReachable(numbers, target));
      solvable += found.length > 0 ? 1 : 0;
    }
    expect(solvable).toBeGreaterThan(50);
  });

  it('are refused where hardly any draw of numbers reaches the target', () => {
    expect(() => countdown.params.parse({ count: [2, 2], highest: 4, target: [99, 99] })).toThrow(/widen it/);
    expect(() => countdown.params.parse({ count: [4, 3] })).toThrow(/swap them/);
    expect(() => countdown.params.parse({ target: [50, 20] })).toThrow(/swap them/);
  });
});

describe('an explanation', () => {
  const explain = (numbers: number[], target: number, plan: string): string => {
    const instance = create();
    instance.restore!({ numbers, target, solution: plan, text: 'x', answer: '' });
    return instance.explain!([plan]);
  };

  it('computes what to subtract, or each calculation', () => {
    expect(explain([25, 7, 6], 26, '25 + 7 - 6')).toBe(
      '25 + 7 + 6 = 38. 38 - 26 = 12. Half is 6. Subtract 6.',
    );
    expect(explain([25, 7, 6], 12, '25 - 7 - 6')).toBe(
      '25 + 7 + 6 = 38. 38 - 12 = 26. Half is 13. 7 + 6 = 13. Subtract 7 and 6.',
    );
    expect(explain([25, 7, 6], 38, '25 + 7 + 6')).toBe('25 + 7 + 6 = 38. That is the target.');
    expect(explain([25, 7, 6], 108, '(25 - 7) * 6')).toBe('25 - 7 = 18. 18 * 6 = 108.');
    expect(explain([25, 7, 6], 99, '25 + 7 - 6')).toBe('25 + 7 = 32. 32 - 6 = 26.');
  });

  it('is true for every puzzle: whatever it states as equal is equal', () => {
    for (let seed = 0; seed < 500; seed++) {
      const { numbers, target, solution } = drawPuzzle(seed, defaults)!;
      const text = explain([...numbers], target, solution);
      const equations = [...text.matchAll(/([\d +-]+) = (\d+)\./g)];
      expect(equations.length).toBeGreaterThan(0);
      for (const [, left = '', right] of equations) {
        const value = left
          .split(' ')
          .reduce(
            (sum, part, place, parts) =>
              /\d/.test(part) ? sum + (parts[place - 1] === '-' ? -1 : 1) * Number(part) : sum,
            0,
          );
        expect([text, value]).toEqual([text, Number(right)]);
      }
    }
  });
});

/** Brute force over orders and shapes, positive whole numbers only. */
function isReachable(numbers: readonly number[], target: number): boolean {
  if (numbers.length === 1) return numbers[0] === target;
  return numbers.some((left, i) =>
    numbers.some((right, j) => {
      if (i === j) return false;
      const rest = numbers.filter((_, place) => place !== i && place !== j);
      return [left + right, left - right, left * right, left / right]
        .filter((value) => Number.isInteger(value) && value > 0)
        .some((value) => isReachable([...rest, value], target));
    }),
  );
}
