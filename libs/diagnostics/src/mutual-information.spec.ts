import { describe, expect, it } from 'vitest';
import { estimateChanceRetrieval, estimateInformation, estimateRetrieval } from './mutual-information.js';

/** Reproducible numbers in [0, 1). */
function createDraws(seed: number): () => number {
  let word = seed;
  return () => (word = (word * 48_271) % 2_147_483_647) / 2_147_483_647;
}

function randomScores(count: number, seed: number): { scores: number[][]; prompts: number[] } {
  const draw = createDraws(seed);
  const scores = Array.from({ length: count }, () => Array.from({ length: count }, () => -5 * draw()));
  return { scores, prompts: Array.from({ length: count }, (_, index) => index) };
}

describe('estimateInformation', () => {
  it('is what a person computes for two reasonings', () => {
    // row 1: p = 0.8 and 0.2, mixture 0.5; row 2: p = 0.3 and 0.5, mixture 0.4
    const scores = [
      [Math.log(0.8), Math.log(0.2)],
      [Math.log(0.3), Math.log(0.5)],
    ];
    const found = estimateInformation({ scores });
    expect(found.matched).toBeCloseTo((Math.log(0.8) + Math.log(0.5)) / 2, 12);
    expect(found.marginal).toBeCloseTo((Math.log(0.5) + Math.log(0.4)) / 2, 12);
    // log(1.6) and log(1.25)
    expect(found.information).toBeCloseTo((Math.log(1.6) + Math.log(1.25)) / 2, 12);
    // the deviation of log 0.5 and log 0.4 with N − 1 = 1
    const deviation = (Math.log(0.5) - Math.log(0.4)) / Math.sqrt(2) + 0.001;
    expect(found.zScore).toBeCloseTo((Math.log(1.6) + Math.log(1.25)) / 2 / deviation, 12);
  });

  it('is the information of a channel where the scores are its probabilities', () => {
    // a reasoning names its prompt among four, and is right in 85 % of cases, else evenly wrong: with as many samples as the
    // joint distribution says, I(X;Z) = log 4 − H(0.85, 0.05, 0.05, 0.05)
    const right = Math.log(0.85);
    const wrong = Math.log(0.05);
    const rows: number[][] = [];
    const prompts: number[] = [];
    for (let prompt = 0; prompt < 4; prompt += 1)
      for (let sample = 0; sample < 20; sample += 1) {
        const said = sample < 17 ? prompt : (prompt + sample - 16) % 4;
        prompts.push(prompt);
        rows.push(
          Array.from({ length: 80 }, (_, column) => (Math.floor(column / 20) === said ? right : wrong)),
        );
      }
    const entropy = -(0.85 * right + 0.15 * wrong);
    expect(estimateInformation({ scores: rows }).information).toBeCloseTo(Math.log(4) - entropy, 12);
  });

  it('is at most log N, unchanged by a shift of each row, and 0 where no prompt matters', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const count = 2 + (seed % 9);
      const { scores } = randomScores(count, seed);
      const { information } = estimateInformation({ scores });
      expect(information).toBeLessThanOrEqual(Math.log(count) + 1e-12);
      const shifted = scores.map((row, index) => row.map((score) => score - 100 * index));
      expect(estimateInformation({ scores: shifted }).information).toBeCloseTo(information, 9);
      const flat = scores.map((row) => row.map(() => row[0] as number));
      expect(estimateInformation({ scores: flat }).information).toBeCloseTo(0, 12);
    }
  });

  it('survives scores that no exponential holds', () => {
    const scores = [
      [-2000, -4000],
      [-5000, -1000],
    ];
    expect(estimateInformation({ scores }).information).toBeCloseTo(Math.log(2), 12);
  });
});

describe('estimateRetrieval', () => {
  it('counts reasonings whose own prompt is among the k best', () => {
    const scores = [
      [-1, -2, -3], // first
      [-1, -2, -3], // second
      [-1, -2, -3], // third
    ];
    const prompts = ['a', 'b', 'c'];
    expect(estimateRetrieval({ scores, prompts }, 1)).toBeCloseTo(1 / 3, 12);
    expect(estimateRetrieval({ scores, prompts }, 2)).toBeCloseTo(2 / 3, 12);
    expect(estimateRetrieval({ scores, prompts }, 3)).toBe(1);
  });

  it('takes an equal prompt for the own one', () => {
    const scores = [
      [-1, -1, -5],
      [-1, -1, -5],
      [-1, -1, -5],
    ];
    // both a: 1; c is behind both
    expect(estimateRetrieval({ scores, prompts: ['a', 'a', 'c'] }, 1)).toBeCloseTo(2 / 3, 12);
  });

  it('is chance for scores that say nothing, grows with k and is 1 for those that say all', () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const count = 2 + (seed % 9);
      const { scores, prompts } = randomScores(count, seed);
      const flat = { scores: scores.map((row) => row.map(() => -1)), prompts };
      const sure = { scores: scores.map((row, i) => row.map((score, j) => (i === j ? 1 : score))), prompts };
      let before = 0;
      for (let k = 1; k <= count; k += 1) {
        expect(estimateRetrieval(flat, k)).toBeCloseTo(k / count, 12);
        expect(estimateChanceRetrieval(flat, k)).toBeCloseTo(k / count, 12);
        expect(estimateRetrieval(sure, k)).toBe(1);
        const found = estimateRetrieval({ scores, prompts }, k);
        expect(found).toBeGreaterThanOrEqual(before);
        before = found;
      }
      expect(before).toBe(1);
    }
  });
});
