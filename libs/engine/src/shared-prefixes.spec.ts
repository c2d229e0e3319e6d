import { createStream } from '@espalier/random';
import { describe, expect, it } from 'vitest';
import { findPrefixGroups } from './shared-prefixes.js';

const stream = createStream(3);
const tokens = (count: number): number[] => Array.from({ length: count }, () => stream.int(500));
const system = tokens(10);
const levelA = tokens(30);
const levelB = tokens(30);
const join = (...parts: number[][]): Int32Array => Int32Array.from(parts.flat());

describe('findPrefixGroups', () => {
  it('finds the members of groups in any order, each with what all of them share', () => {
    const members = Array.from({ length: 6 }, (_, i) =>
      join(system, i % 2 === 0 ? levelA : levelB, [500 + i], tokens(5)),
    );
    const groups = findPrefixGroups(members, 1000).sort((a, b) => (a.members[0] ?? 0) - (b.members[0] ?? 0));
    expect(groups).toEqual([
      { prefix: 40, members: [0, 2, 4] },
      { prefix: 40, members: [1, 3, 5] },
    ]);
  });

  it('leaves alone what shares nothing, or too little', () => {
    const sequences = [join(tokens(20)), join([7, 7, 7], tokens(20)), join([7, 7, 7], tokens(20))];
    expect(findPrefixGroups(sequences, 1000).map(({ prefix, members }) => [prefix, members.length])).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
  });

  it('leaves a token to every member, also to one that another begins with', () => {
    const short = join(system, levelA);
    const long = join(system, levelA, tokens(9));
    expect(findPrefixGroups([long, short, short], 1000)).toEqual([{ prefix: 39, members: [0, 1, 2] }]);
  });

  it('computes no more tokens than fit, and a longer sequence alone', () => {
    const members = Array.from({ length: 9 }, (_, i) => join(system, levelA, [500 + i], tokens(19)));
    const groups = findPrefixGroups([...members, join(tokens(300))], 100);
    expect(groups.flatMap((group) => group.members).sort((a, b) => a - b)).toEqual([...Array(10).keys()]);
    for (const group of groups)
      if (group.members.length > 1) expect(group.prefix + 20 * group.members.length).toBeLessThanOrEqual(100);
    expect(groups).toHaveLength(4);
  });
});
