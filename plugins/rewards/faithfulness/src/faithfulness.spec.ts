import type { RewardResult, Turn } from '@espalier/plugin-kit';
import { sampleReply, sampleTrajectoryOf, testReward } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import faithfulness from './index.js';

testReward(faithfulness);
testReward(faithfulness, { params: { claims: 4, lie: 0.5 } });

const lake = {
  player: [1, 1],
  goal: [3, 2],
  holes: [
    [1, 2],
    [0, 3],
  ],
  distance: 3,
};
const at = (row: number, column: number) => ({ ...lake, player: [row, column] });

const score = (thoughts: readonly string[], facts: readonly object[] = [lake], given = {}) =>
  faithfulness.score(
    sampleTrajectoryOf(
      thoughts.map((think) => sampleReply(think, 'Down')),
      (index): Partial<Turn> => ({
        stateKey: `${index}`,
        facts: (facts[index] ?? facts.at(-1)) as Turn['facts'],
      }),
    ),
    faithfulness.params.parse(given),
  ) as Required<RewardResult>;
const total = (...given: Parameters<typeof score>): number =>
  score(...given).perTurn.reduce((sum, value) => sum + value, 0);

describe('faithfulness', () => {
  it('pays the weight of true claims: the share of comparable states in which they are false', () => {
    // a 4 × 4 board: the player could be at 16 cells
    expect(total(['I am at (1, 1).'])).toBeCloseTo(15 / 16 / 2);
    expect(total(['I am at (1, 1). The goal is at (3, 2).'])).toBeCloseTo(15 / 16);
  });

  it('takes what contradicts somebody for a claim of its own', () => {
    expect(total(['He says I am at (0, 0), but I am at (1, 1).'])).toBeCloseTo(15 / 16 / 2);
    expect(total(['He says I am at (0, 0), but she says I am at (1, 1).'])).toBe(0);
  });

  it('takes for false claims, down to 0', () => {
    expect(total(['I am at (1, 1). The goal is at (0, 0).'])).toBe(0);
    expect(total(['I am at (1, 1). The goal is at (0, 0).'], [lake], { lie: 0.5 })).toBeGreaterThan(0.2);
    expect(total(['The goal is at (0, 0).'])).toBe(0);
  });

  it('gives the tokens of each claim what it earned or lost; together what the turn is paid', () => {
    const { perTurn, evidence } = score(['I am at (1, 1). The goal is 2 down. The hole is below.'], [lake], {
      lie: 0.2,
    });
    expect(evidence.map(({ value }) => Math.sign(value))).toEqual([1, 1, -1]);
    expect(evidence.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(perTurn[0] ?? 0);
    expect(evidence[2]?.note).toMatch(/^false: hole/);
  });

  it('counts a claim once while it stays true', () => {
    const first = total(['The goal is at (3, 2).']);
    expect(total(['The goal is at (3, 2).', 'The goal is at (3, 2).', 'The goal is at (3, 2).'])).toBeCloseTo(
      first / 3,
    );
    expect(total(['The goal is at (3, 2). '.repeat(9)])).toBeCloseTo(first);
  });

  it('pays claims that follow the state', () => {
    const walk = [at(1, 1), at(2, 1), at(2, 2)];
    expect(total(['I am at (1, 1).', 'I am at (2, 1).', 'I am at (2, 2).'], walk)).toBeCloseTo(15 / 16 / 2);
  });

  it.each([
    ['(8 - 3) * 5 = 25. 2 * (3 + (8 - 5)) = 12.', { numbers: [3, 8, 5], target: 29 }, 2, 1],
    ['(8 - 3) * 5 = 26.', { numbers: [3, 8, 5], target: 29 }, 1, 0],
    ['(1, 1) is 4, (1, 2) is empty.', { grid: [[1, 0], [0, 2]] }, 2, 0.5], // prettier-ignore
    ['Row 1 is missing 2 and has 1.', { grid: [[1, 0], [0, 2]] }, 2, 1], // prettier-ignore
    ['There are 2 boxes on the board.', { boxes: [[0, 1], [1, 1]], targets: [[0, 0], [1, 0]], boxesOnTarget: 0 }, 1, 1], // prettier-ignore
    ['Cell (1, 2) is a hole and cell (2, 2) is safe. Cell (3, 2) is not a hole.', { player: [1, 1], holes: [[1, 2]], size: [4, 4] }, 2, 1], // prettier-ignore
    ['The goal lies below. I see it at (3, 2).', { player: [1, 1], goal: [3, 1], size: [4, 4] }, 1, 1], // prettier-ignore
    ['One is the worse arm, Two the better one.', { arms: ['One', 'Two'], better: 'Two' }, 2, 1],
  ])('reads each claim of: %s', (think, facts, claims, precision) => {
    expect(score([think], [facts]).metrics).toMatchObject({ claims, precision });
  });

  it('reads the part <observation> where there is one', () => {
    const text =
      '<observation>The goal is 2 down 1 right.</observation><reasoning>The hole is at (0, 0).</reasoning>';
    expect(total([text])).toBeCloseTo(15 / 16 / 2);
  });

  it.each([
    ['a hypothesis', 'If the goal were at (3, 2), I would go down.'],
    ['what is not so yet', 'Once the goal is at (3, 2), I am done.'],
    ['what somebody wrote', 'Someone wrote that the goal is at (3, 2).'],
    ['a question', 'Is the goal at (3, 2)?'],
    ['what others say', 'The other player says that the goal is at (3, 2).'],
    ['the past', 'I was at (1, 1).'],
    ['what will be', 'I will be at (1, 1).'],
  ])('does not pay for %s', (_, think) => {
    expect(total([think])).toBe(0);
  });
});

it('reads hostile text in time that does not grow with its square', () => {
  const begin = process.cpuUsage();
  for (const part of [
    'the goal is down ',
    'hole ',
    'no ',
    '(1, 1) ',
    'row 1 column ',
    '1 ',
    'if ',
    'on the ',
  ])
    total([part.repeat(100_000 / part.length)]);
  const { user, system } = process.cpuUsage(begin);
  // 800 kB; quadratic rules take minutes
  expect((user + system) / 1000).toBeLessThan(20_000);
});

describe('a policy that games it', () => {
  it.each([
    ['nothing', ''],
    ['a constant', 'ok'],
    ['the format alone', 'think answer'],
    [
      'an echo of the prompt',
      'You have 10 actions left. Always reply <think>...</think><answer>...</answer> and nothing else.',
    ],
    ['a count that is the same everywhere', 'There are 2 holes. There is one player and one goal.'],
    ['a true calculation', '2 + 2 = 4.'],
    ['a claim and its opposite', 'The goal is below. The goal is not below.'],
    ['every cell', Array.from({ length: 16 }, (_, i) => `I am at (${i >> 2}, ${i & 3}).`).join(' ')],
    ['a long text', 'the lake is made of ice and the ice is cold '.repeat(50)],
  ])('gets the floor for %s', (_, think) => {
    expect(total([think])).toBe(0);
  });

  it('gains nothing by a longer list of true claims than asked for', () => {
    const few = 'I am at (1, 1). The goal is at (3, 2). There is a hole at (1, 2).';
    expect(total([few])).toBe(1);
    expect(total([`${few} There is a hole at (0, 3). The goal is 3 steps away.`])).toBe(1);
  });
});
