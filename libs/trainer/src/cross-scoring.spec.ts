import type { ScoreRequest, Span, Trajectory, TrajectoryGroup } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { measureInformation } from './cross-scoring.js';
import { tinyTokenizer } from './testing/tiny-run.js';

const encode = (text: string): number[] => [...tinyTokenizer.encode(text)];
const decode = (tokens: ArrayLike<number>): string => tinyTokenizer.decode(tokens);

/** A trajectory of one turn: prompt, then a think block, then an answer. */
function played(prompt: string, think: string, answer: string): Trajectory {
  const parts: [Span['kind'], string][] = [
    ['observation', prompt],
    ['think', think],
    ['answer', answer],
    ['control', '<end>'],
  ];
  const tokens: number[] = [];
  const spans: Span[] = [];
  for (const [kind, text] of parts) {
    if (text === '') continue;
    const start = tokens.length;
    tokens.push(...encode(text));
    spans.push({ kind, start, end: tokens.length, turn: 0 });
  }
  return { tokens: Int32Array.from(tokens), spans } as Partial<Trajectory> as Trajectory;
}

const groupOf = (...trajectories: Trajectory[]): TrajectoryGroup =>
  ({ trajectories }) as Partial<TrajectoryGroup> as TrajectoryGroup;

/** A policy for which a letter of the prompt has probability 1/2 in a reasoning, and any other 1/8. */
function createReader() {
  const asked: ScoreRequest[] = [];
  const score = (requests: readonly ScoreRequest[]) => {
    asked.push(...requests);
    return Promise.resolve(
      requests.map(({ tokens, positions }) => {
        const prompt = decode(tokens.subarray(0, positions[0]));
        const logprobs = Float32Array.from(positions, (t) =>
          Math.log(prompt.includes(decode([tokens[t] ?? 0])) ? 1 / 2 : 1 / 8),
        );
        return { logprobs, entropies: new Float32Array(positions.length) };
      }),
    );
  };
  return { asked, policy: { score } };
}

const parts = { tokenizer: tinyTokenizer, contextLength: 100, samples: 16, temperature: 1 };

describe('measureInformation', () => {
  it('scores every first reasoning under every first prompt, without tags', async () => {
    const { asked, policy } = createReader();
    const groups = [
      groupOf(played('ab', '<think>aab</think>', '<answer>x</answer>')),
      groupOf(played('cd', 'c</think>', '<answer>y</answer>')),
    ];
    const values = await measureInformation(groups, { ...parts, policy });
    // an opening tag that was sampled belongs to what comes before the reasoning
    expect(asked.map(({ tokens }) => decode(tokens))).toEqual(['ab<think>aab', 'cdaab', 'ab<think>c', 'cdc']);
    // means over tokens: ½ under the own prompt, ⅛ under the other, the mixture 5/16 for both
    expect(values['monitor/mi_matched']).toBeCloseTo(Math.log(1 / 2), 6);
    expect(values['monitor/mi_marginal']).toBeCloseTo(Math.log(5 / 16), 6);
    expect(values['monitor/mi_estimate']).toBeCloseTo(Math.log(8 / 5), 6);
    expect(values['monitor/mi_zscore']).toBeCloseTo(Math.log(8 / 5) / 0.001, 2);
    // sums over three tokens and over one: 2 / (1 + 4⁻³) and 8 / 5
    expect(values['monitor/mi_sequence']).toBeCloseTo((Math.log(2 / (1 + 1 / 64)) + Math.log(8 / 5)) / 2, 6);
    expect(values).toMatchObject({
      'monitor/mi_retrieval_1': 1,
      'monitor/mi_retrieval_1_chance': 0.5,
      'monitor/mi_retrieval_4': 1,
    });
  });

  it('finds nothing in a template, however its words vary', async () => {
    const { policy } = createReader();
    const groups = ['ab', 'cd', 'ef', 'gh'].map((prompt, index) =>
      groupOf(played(prompt, `${'xyz'.slice(index % 3)}</think>`, '')),
    );
    const values = await measureInformation(groups, { ...parts, policy });
    expect(values['monitor/mi_sequence']).toBeCloseTo(0, 9);
    expect(values['monitor/mi_retrieval_1']).toBeCloseTo(1 / 4, 9);
  });

  it('takes replies where nothing is reasoned, and members of groups in turn', async () => {
    const { asked, policy } = createReader();
    const groups = [
      groupOf(played('ab', '', 'a</answer>'), played('ab', '', 'b</answer>')),
      groupOf(played('cd', '', 'c</answer>'), played('cd', '', 'd</answer>')),
    ];
    await measureInformation(groups, { ...parts, policy, samples: 3 });
    // equal prompts are scored once
    expect(asked.map(({ tokens }) => decode(tokens))).toEqual(['aba', 'cda', 'abc', 'cdc', 'abb', 'cdb']);
  });

  it('leaves out a reasoning that does not fit behind the longest prompt', async () => {
    const { asked, policy } = createReader();
    const groups = [
      groupOf(played('abcdefgh', 'a</think>', '')),
      groupOf(played('x', 'xxxx</think>', '')),
      groupOf(played('y', 'yy</think>', '')),
    ];
    await measureInformation(groups, { ...parts, policy, contextLength: 10 });
    expect(asked.map(({ tokens }) => decode(tokens))).toEqual(['abcdefgha', 'ya', 'abcdefghyy', 'yyy']);
  });

  it('says nothing where all prompts are the same, or there are none', async () => {
    const { policy } = createReader();
    const same = [groupOf(played('ab', 'a</think>', '')), groupOf(played('ab', 'b</think>', ''))];
    expect(await measureInformation(same, { ...parts, policy })).toEqual({});
    expect(await measureInformation([], { ...parts, policy })).toEqual({});
  });
});
