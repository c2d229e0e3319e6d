import type { Tokenizer } from '@espalier/contracts';
import type { UpdateRecord } from '@espalier/contracts/update-record';
import { decodeTrajectory, encodeTrajectory, type StoredTrajectory } from '@espalier/recorder';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { chooseTrajectories } from '../local/choose-trajectories.js';
import { plainTrajectory, trajectoryLines } from './trajectory-text.js';

/** One letter per token. */
const tokenizer = {
  decode: (tokens: ArrayLike<number>) => String.fromCharCode(...Array.from(tokens)),
} as Tokenizer;
const text = 'ask\nme<think>hm</think>no.';
const start = text.indexOf('hm');

/** As it comes out of a log. */
function stored(index: number, success: boolean, split: 'train' | 'validation' = 'train'): StoredTrajectory {
  const tokens = Int32Array.from([...text].map((letter) => letter.charCodeAt(0)));
  const turn = {
    index: 0,
    observation: 'a \u001b[2Jmap',
    render: '#P',
    stateKey: '',
    facts: {},
    plan: ['Left', 'Up'],
    response: '<think>hm</think>no',
    think: 'hm',
    answer: '',
    formatValid: false,
    parsedActions: ['no'],
    reward: 0.5,
    formatPenalty: -0.1,
    sampleStop: 'length',
    actions: [{ text: 'Up', valid: true, effective: false, reward: 0.5, metrics: {} }],
    sampled: { start, end: text.length },
  };
  const trajectory = {
    id: `${split}/4/0/${index}`,
    environment: 'grid',
    split,
    step: 4,
    group: 0,
    index,
    seeds: { state: 7, noise: 8, sampling: 9 },
    tokens,
    logprobs: new Float32Array(tokens.length).fill(-0.25),
    entropies: new Float32Array(tokens.length).fill(0.5),
    spans: [
      { kind: 'template', start: 0, end: start, turn: 0 },
      { kind: 'answer', start, end: text.length, turn: 0 },
    ],
    turns: [turn],
    score: {
      environment: 0.5,
      formatPenalty: -0.1,
      perTurn: [0.3],
      total: 0.3,
      rewards: { 'environment-return': { value: 0.5, weight: 1 }, format: { value: -0.1, weight: 2 } },
    },
    stopReason: success ? 'success' : 'failure',
    success,
    labels: success ? [{ name: 'format-failure', turn: 0 }] : [{ name: 'dead-end', turn: 0 }],
    timings: { totalMs: 1 },
  } as unknown as StoredTrajectory;
  return decodeTrajectory(encodeTrajectory(trajectory, { kept: true }));
}

describe('chooseTrajectories', () => {
  const all = [stored(0, false), stored(1, true), stored(2, true), stored(0, false, 'validation')];
  const ids = (filter: Parameters<typeof chooseTrajectories>[1]) =>
    chooseTrajectories(all, filter).shown.map(({ id }) => id);

  it('takes a success and a failure of training when nothing is asked for', () => {
    expect(ids({})).toEqual(['train/4/0/1', 'train/4/0/0']);
    expect(chooseTrajectories(all, {}).matching).toBe(3);
  });

  it('filters by split, member and success, and stops at the limit', () => {
    expect(ids({ split: 'validation' })).toEqual(['validation/4/0/0']);
    expect(ids({ index: 2 })).toEqual(['train/4/0/2']);
    expect(ids({ failed: true })).toEqual(['train/4/0/0']);
    expect(ids({ label: 'format-failure' })).toEqual(['train/4/0/1', 'train/4/0/2']);
    expect(ids({ label: 'cycle' })).toEqual([]);
    expect(ids({ limit: 2 })).toEqual(['train/4/0/0', 'train/4/0/1']);
  });
});

describe('trajectoryLines', () => {
  const page = trajectoryLines(stored(1, true), { tokenizer }, pc.createColors(false)).join('\n');

  it('shows the prompt, the raw reply, what was done with it, and what it earned', () => {
    expect(page).toContain('prompt\n    ask\n    me<think>\nturn 1');
    expect(page).toMatch(/reply +<think>hm<\/think>no\n/);
    expect(page).toMatch(/format +invalid; cut off by length/);
    expect(page).toMatch(/read as +think "hm", answer "", actions "no"/);
    expect(page).toMatch(/actions +Up \(nothing changed\)/);
    expect(page).toMatch(/oracle +Left, Up/);
    expect(page).toMatch(/labels +format-failure \(turn 1\)/);
    expect(page).toMatch(/reward +0\.5, format -0\.1/);
    expect(page).toMatch(/score +0\.3 = environment-return 0\.5 \+ format -0\.1 × 2/);
    expect(page).toMatch(/mean entropy 0\.5, mean log-probability -0\.25 nats/);
  });

  it('says which turns a prompt held that left out some', () => {
    const { turns, ...rest } = stored(1, true);
    const second = { ...turns[0], index: 1 } as (typeof turns)[number];
    const pageOf = (firstTurn: number): string =>
      trajectoryLines(
        {
          ...rest,
          turns: [second],
          windows: [
            { start: 0, firstTurn: 0 },
            { start: 2, firstTurn },
          ],
        },
        { tokenizer },
        pc.createColors(false),
      ).join('\n');
    expect(pageOf(1)).toMatch(/turn 2\n +prompt +turn 2 alone, 11 tokens/);
    expect(pageOf(0)).not.toMatch(/alone/);
    expect(page).not.toMatch(/alone/);
  });

  it('says why the group was not learned from', () => {
    const dropped = { reason: 'low-variance', numbers: { deviation: 0.25, rank: 3, limit: 2 } };
    const line = encodeTrajectory(stored(1, true), { kept: false, dropped });
    const text = trajectoryLines(decodeTrajectory(line), { tokenizer }, pc.createColors(false)).join('\n');
    expect(text).toContain('not learned from');
    expect(text).toMatch(/dropped +with its group, low-variance: deviation 0\.25, rank 3, limit 2/);
    expect(page).not.toContain('dropped');
  });

  it('says what the update did, and leaves out what was not recorded', () => {
    const tokens = {
      ranges: Int32Array.of(3, 5),
      advantages: Float32Array.of(0.5, 0.5),
      ratios: Float32Array.of(0.75, 1.5),
    };
    const trained = { outcome: 'trained', lossTokens: 2, clippedTokens: 1, share: 0.125, tokens } as const;
    const textOf = (update: UpdateRecord) => {
      const line = encodeTrajectory(stored(1, true), { kept: true, update });
      return trajectoryLines(decodeTrajectory(line), { tokenizer }, pc.createColors(false)).join('\n');
    };
    expect(textOf(trained)).toMatch(
      /update +trained, 2 loss tokens, 1 clipped, 12\.5 % of the update, advantage 0\.5 to 0\.5, ratio 0\.75 to 1\.5/,
    );
    expect(textOf(trained)).toMatch(/, learned from$/m);
    expect(textOf({ outcome: 'no-signal', lossTokens: 2 })).toMatch(/, not learned from$/m);
    expect(textOf({ outcome: 'critic-only', lossTokens: 2 })).toMatch(/, learned from by the critic only$/m);
    expect(textOf({ outcome: 'dropped', lossTokens: 2 })).toMatch(
      /update +dropped: its group was dropped before the update, 2 loss tokens$/m,
    );
    expect(textOf({ outcome: 'greedy-baseline', lossTokens: 2 })).toMatch(
      /update +greedy-baseline: sampled greedily as what its group is compared with; never trained on/,
    );
    expect(page).not.toMatch(/^ +update/m);
    const plain = plainTrajectory({ ...stored(1, true), update: trained }, tokenizer);
    expect(JSON.parse(JSON.stringify(plain))).toMatchObject({
      update: { tokens: { ranges: [3, 5], ratios: [0.75, 1.5] } },
    });
  });

  it('shows states without a tokenizer, and lets no text command the terminal', () => {
    const bare = trajectoryLines(stored(1, true), { tokenizer: undefined }, pc.createColors(false)).join(
      '\n',
    );
    expect(bare).toContain('    a  [2Jmap\n    #P');
    expect(bare).not.toMatch(/prompt|\u001b/);
  });
});

describe('plainTrajectory', () => {
  it('is JSON with numbers for tokens and the text of each span', () => {
    const plain = JSON.parse(JSON.stringify(plainTrajectory(stored(1, true), tokenizer))) as {
      tokens: number[];
      spans: { kind: string; text: string }[];
    };
    expect(plain).toMatchObject({ id: 'train/4/0/1', kept: true, success: true });
    expect(plain.tokens).toHaveLength(text.length);
    expect(plain.spans.map((span) => span.text).join('')).toBe(text);
  });
});
