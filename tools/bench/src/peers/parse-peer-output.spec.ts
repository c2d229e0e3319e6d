import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findPeerFigure, parsePeerOutput } from './parse-peer-output.js';
import { listPeerPairs, type PeerPair } from './peer-pairs.js';

const recorded = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`./recorded/${name}`, import.meta.url)), 'utf8');
const pairs = listPeerPairs(false);
const pairOf = (row: string): PeerPair => pairs.find((pair) => pair.row === row) as PeerPair;

describe('output of peer programs', () => {
  it.each([
    ['train-step/5m', 'torch-step.txt', 149],
    ['train-step/135m', 'torch-step-135m.txt', 157],
    ['train-step/135m/memory', 'torch-step-135m.txt', 7.79],
    ['decode/5m/1', 'hf-generate.txt', 239],
    ['decode/5m/128', 'hf-generate.txt', 1222],
    ['iteration/trl-shape', 'trl-grpo.txt', 11.52],
    ['env/frozen-lake', 'envs.txt', 200951],
    ['env/frozen-lake/wrapped', 'envs.txt', 180020],
    ['env/sokoban', 'envs.txt', 698],
    ['levels/sokoban', 'envs.txt', 477.4],
  ])('gives the figure of %s', (row, file, figure) => {
    expect(findPeerFigure(parsePeerOutput(recorded(file)), pairOf(row).figure)).toBe(figure);
  });

  it('is read among lines of libraries, broken JSON and other objects', () => {
    const text = 'Gym is old\n{"what": "a", "seconds": 2}\n{"loss": 1}\n{"what": "b", "sec\n[1]\n';
    expect(parsePeerOutput(text)).toEqual([{ what: 'a', numbers: { seconds: 2 } }]);
  });

  it('that lacks a figure is an error naming what was printed', () => {
    const records = parsePeerOutput('{"what": "hf-generate", "batch": 1, "tokens_per_s": 300}');
    expect(() => findPeerFigure(records, pairOf('decode/5m/16').figure)).toThrow(
      /no figure for "hf-generate, batch 16"; it printed "hf-generate"/,
    );
    expect(() => findPeerFigure([], pairOf('env/sokoban').figure)).toThrow(
      expect.objectContaining({
        code: 'bench.peer_failed',
        message: expect.stringContaining('printed no record'),
      }),
    );
  });
});
