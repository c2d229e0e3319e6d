import { describe, expect, it } from 'vitest';
import { Reach } from './reach.js';

describe('what could not be reached', () => {
  it('is warned of once each, and told when that is over', () => {
    const lines: string[] = [];
    const reach = new Reach({ log: (line) => lines.push(`log ${line}`), warn: (line) => lines.push(line) });
    reach.succeed('a', 'it always was');
    for (const attempt of [1, 2, 3]) reach.fail('a', `a is away, attempt ${attempt}`);
    reach.fail('b', 'b is away');
    reach.succeed('a', 'a is back');
    reach.succeed('a', 'a is back');
    reach.fail('a', 'a is away again');
    expect(lines).toEqual(['a is away, attempt 1', 'b is away', 'log a is back', 'a is away again']);
  });
});
