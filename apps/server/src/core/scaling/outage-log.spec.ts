import { describe, expect, it } from 'vitest';
import { OutageLog } from './outage-log.js';

describe('what could not be reached', () => {
  it('is warned of once each, and told when that is over', () => {
    const lines: string[] = [];
    const outages = new OutageLog({
      log: (line) => lines.push(`log ${line}`),
      warn: (line) => lines.push(line),
    });
    outages.succeed('a', 'it always was');
    for (const attempt of [1, 2, 3]) outages.fail('a', `a is away, attempt ${attempt}`);
    outages.fail('b', 'b is away');
    outages.succeed('a', 'a is back');
    outages.succeed('a', 'a is back');
    outages.fail('a', 'a is away again');
    expect(lines).toEqual(['a is away, attempt 1', 'b is away', 'log a is back', 'a is away again']);
  });
});
