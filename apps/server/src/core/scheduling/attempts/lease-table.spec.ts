import { describe, expect, it } from 'vitest';
import { serverOptions } from '../../../config/server-options.js';
import { LeaseTable } from './lease-table.js';
import { ManualClock } from '../../../testing/manual-clock.js';

function setUp() {
  const clock = new ManualClock();
  return {
    clock,
    leases: new LeaseTable(clock, serverOptions.parse({ leaseSeconds: 15, returnSeconds: 40 })),
  };
}

describe('LeaseTable', () => {
  it('lists a lease that was not renewed in time, and none that was', () => {
    const { clock, leases } = setUp();
    leases.renew('a');
    leases.renew('b');
    for (let second = 1; second < 15; second += 1) {
      clock.pass(1000);
      if (second % 3 === 0) leases.renew('b');
      expect(leases.expired()).toEqual([]);
    }
    clock.pass(1000);
    expect(leases.expired()).toEqual(['a']);
    expect(leases.isOver('b')).toBe(false);
  });

  it('ignores jumps of the wall clock', () => {
    const { clock, leases } = setUp();
    leases.renew('a');
    for (const jump of [3_600_000, -7_200_000]) {
      clock.jump(jump);
      clock.pass(1000);
      expect(leases.expired()).toEqual([]);
    }
  });

  it('does not count time in which the server was suspended', () => {
    const { clock, leases } = setUp();
    leases.renew('a');
    clock.pass(60_000);
    expect(leases.expired()).toEqual([]);
    const seen: string[][] = [];
    for (let second = 1; second <= 15; second += 1) {
      clock.pass(1000);
      seen.push(leases.expired());
    }
    expect(seen.slice(0, 14).flat()).toEqual([]);
    expect(seen[14]).toEqual(['a']);
  });

  it('lets a lease from before a restart last until workers have reconnected, then renews it as usual', () => {
    const { clock, leases } = setUp();
    const passSeconds = (count: number): string[] =>
      Array.from({ length: count }).flatMap(() => {
        clock.pass(1000);
        return leases.expired();
      });
    leases.extend('away');
    leases.extend('back');
    expect(passSeconds(39)).toEqual([]);
    leases.renew('back');
    expect(passSeconds(1)).toEqual(['away']);
    leases.end('away');
    expect([passSeconds(13), passSeconds(1)]).toEqual([[], ['back']]);
  });

  it('forgets a lease that has ended', () => {
    const { clock, leases } = setUp();
    leases.renew('a');
    leases.end('a');
    clock.pass(16_000);
    expect(leases.isOver('a')).toBe(false);
  });
});
