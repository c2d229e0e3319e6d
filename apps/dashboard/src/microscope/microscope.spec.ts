import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { OpenedTrajectory, TokenPage } from '../data/types.js';
import { blockAt, blocksOf, pagesOf, textOf, whyAbsent } from './blocks.js';
import { clipSides, measures, placeOf, seriesOf, shadeOf, valueOf } from './measures.js';
import { Legend } from './legend.js';
import { spellLoss } from './spell-loss.js';
import { TokenDetail } from './token-detail.js';

type Turns = OpenedTrajectory['turns'];
const turnOf = (response: string, start: number, end: number, index = 0) =>
  ({ index, response, sampled: { start, end } }) as Turns[number];
const pageOf = (part: object) => ({ from: 0, total: 9, tokens: [], ...part }) as unknown as TokenPage;
const measure = (id: string) => measures.find((one) => one.id === id) as (typeof measures)[number];

describe('blocks', () => {
  const blocks = blocksOf([turnOf('', 10, 310), turnOf('', 320, 320, 1), turnOf('', 330, 340, 2)]);

  it('cut each turn, and tell what was read before it', () => {
    expect(blocks.map(({ turn, start, end, read }) => [turn, start, end, read])).toEqual([
      [0, 10, 138, 10],
      [0, 138, 266, undefined],
      [0, 266, 310, undefined],
      [1, 320, 320, 10],
      [2, 330, 340, 10],
    ]);
  });

  it('are found by a token', () => {
    expect([10, 137, 138, 309, 330, 999, 0].map((token) => blockAt(blocks, token))).toEqual([
      0, 0, 1, 2, 4, 4, 0,
    ]);
  });

  it('lie in one page or in two', () => {
    expect([pagesOf(0, 128), pagesOf(2000, 2100), pagesOf(2048, 2048)]).toEqual([[0], [0, 2048], [2048]]);
  });
});

describe('texts', () => {
  it('are parts of the response, without the tag that was given', () => {
    const turn = turnOf('<think>try</think>', 2, 5);
    const page = pageOf({ textEnds: [0, 0, 10, 18, 18] });
    expect([2, 3, 4].map((token) => textOf(turn, page, token))).toEqual(['try', '</think>', '']);
    const later = pageOf({ from: 2, textEnds: [10, 18, 18] });
    expect(textOf(turn, later, 3)).toBe('</think>');
  });

  it('keep a tag that the model sampled, and are undefined where none are recorded', () => {
    expect(textOf(turnOf('<think>go', 0, 2), pageOf({ textEnds: [7, 9] }), 0)).toBe('<think>');
    expect(textOf(turnOf('x', 0, 1), pageOf({ textEnds: null }), 0)).toBeUndefined();
  });
});

describe('measures', () => {
  it('have a place on scales with fixed ends', () => {
    expect([0, -3, -9].map((value) => placeOf(measure('logprob'), value))).toEqual(
      [0, 0.5, 1].map((p) => p + 0),
    );
    expect([-9, -1, 0, 1].map((value) => placeOf(measure('advantage'), value))).toEqual([-1, -0.5, 0, 0.5]);
    expect(shadeOf(measure('ratio'), 0.75)).toEqual({ color: '--token-low', share: 38 });
    expect(shadeOf(measure('ratio'), 2)).toEqual({ color: '--token-high', share: 75 });
  });

  it('are undefined where a value is absent, and 0 where it is 0', () => {
    const page = pageOf({
      advantages: [0, null],
      returns: null,
      trainerLogprobs: [-1.5, null],
      logprobs: [-1, -2],
    });
    expect([0, 1].map((at) => valueOf(measure('advantage'), page, at))).toEqual([0, undefined]);
    expect(valueOf(measure('return'), page, 0)).toBeUndefined();
    expect([0, 1].map((at) => valueOf(measure('difference'), page, at))).toEqual([-0.5, undefined]);
  });
});

describe('the series of a measure', () => {
  const summaryOf = (...names: string[]) => ({ series: names.map((name) => ({ name })) }) as never;

  it('is its own where the measure is a difference, so that its extremes are', () => {
    const summary = summaryOf('logprobs', 'trainerLogprobs', 'differences');
    expect(seriesOf(summary, measure('difference'))?.name).toBe('differences');
    expect(seriesOf(summary, measure('logprob'))?.name).toBe('logprobs');
    expect(seriesOf(summaryOf('logprobs', 'trainerLogprobs'), measure('difference'))).toBeUndefined();
  });
});

describe('what is absent', () => {
  const of = (update: object | null, split = 'train') => ({ update, row: { split } }) as never;

  it('is told apart', () => {
    const trained = { outcome: 'trained', hasTokens: true };
    expect(whyAbsent(of(trained), 0)).toBe('not sampled');
    expect(whyAbsent(of(trained), 1)).toBe('outside the loss mask');
    expect(whyAbsent(of(trained), 2)).toMatch(/gives no such value/);
    expect(whyAbsent(of({ outcome: 'trained', hasTokens: false }), 1)).toMatch(/beyond update\.tokenRecords/);
    expect(whyAbsent(of({ outcome: 'dropped', hasTokens: false }), 1)).toBe('not trained: dropped');
    expect(whyAbsent(of(null, 'validation'), 1)).toBe('not trained: validation');
    expect(whyAbsent(of(null), 1)).toBe('not recorded by this version');
  });
});

describe('spellLoss', () => {
  it('says what the update did', () => {
    const facts = { ratio: 1.5, advantage: 1, loss: -1.2, gradient: 0, clipped: 2 };
    expect(spellLoss(facts)).toBe(
      'Ratio 1.5 with advantage 1 gives loss −1.2; clipped, as the ratio is above its upper bound: its gradient is 0.',
    );
    expect(spellLoss({ ...facts, gradient: -0.5, clipped: 0 })).toMatch(
      /loss −1\.2: the update made it less likely/,
    );
    expect(spellLoss({ ...facts, loss: undefined })).toBeUndefined();
  });
});

describe('a token with a reference', () => {
  const spelled = (reference: object) => {
    const page = pageOf({ mask: [2], logprobs: [-1], trainerLogprobs: null, ...reference });
    const trajectory = {
      turns: [],
      spans: [],
      score: { evidence: [] },
      update: null,
      row: { split: 'train' },
      tokenSummary: { total: 9 },
    };
    const props = { trajectory: trajectory as never, token: 0, page, isFailed: false };
    return /spelled">([^<]*)</.exec(renderToStaticMarkup(createElement(TokenDetail, props)))?.[1];
  };

  it('says its KL, and by which estimator; without one nothing', () => {
    expect(spelled({ referenceLogprobs: [-1.5] })).toBe(
      'KL from the reference 0.5 nats (k1: sampler − reference log-probability).',
    );
    expect(spelled({ referenceLogprobs: [null] })).toBeUndefined();
    expect(spelled({ referenceLogprobs: null })).toBeUndefined();
  });

  it('is coloured by it', () => {
    const page = pageOf({ logprobs: [-1, -2], referenceLogprobs: [-1.5, null] });
    expect([0, 1].map((at) => valueOf(measure('kl'), page, at))).toEqual([0.5, undefined]);
  });
});

it('a token that there is none of, or that cannot be read, is not waited for', () => {
  const told = (token: number, isFailed: boolean): string => {
    const trajectory = { tokenSummary: { total: 9 } } as never;
    return renderToStaticMarkup(createElement(TokenDetail, { trajectory, token, page: undefined, isFailed }));
  };
  expect(told(9, false)).toContain('There is no token 9: the trajectory has 9 tokens');
  expect(told(8, false)).toContain('Reads token 8 …');
  expect(told(8, true)).toContain('Token 8 could not be read.');
});

it('the legend has an underline of every kind', () => {
  const legend = renderToStaticMarkup(
    createElement(Legend, { measure: measure('logprob'), trajectory: { update: null } as never }),
  );
  for (const side of clipSides.slice(1)) expect(legend).toContain(`class="clip ${side}"`);
});
