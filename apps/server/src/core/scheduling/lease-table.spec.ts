import { describe, expect, it } from 'vitest';
import { serverOptions } from '../../config/server-options.js';
import { LeaseTable } from './lease-table.js';
import { ManualClock } from '../../testing/manual-clock.js';

function setUp() {
  const clock = new ManualClock();
  return {
    clock,
    leases: new LeaseTable(clock, serverOptions.parse({ leaseSeconds: 15, returnSeconds: 40 })),
  };
}

describe('the book of leases', () => {
  it('lists a claim that was not renewed in time, and none that was', () => {
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

  it('cares nothing about a wall clock that jumps', () => {
    const { clock, leases } = setUp();
    leases.renew('a');
    for (const jump of [3_600_000, -7_200_000]) {
      clock.jump(jump);
      clock.pass(1000);
      expect(leases.expired()).toEqual([]);
    }
  });

  it('counts time in which the server itself stood still for nobody', () => {
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

  it('gives a claim of before a start of the server as long as workers may need, and then one lease', () => {
    const { clock, leases } = setUp();
    const passSeconds = (count: number): string[] =>
      Array.from({ length: count }).flatMap(() => {
        clock.pass(1000);
        return leases.expired();
      });
    leases.hold('away');
    leases.hold('back');
    expect(passSeconds(39)).toEqual([]);
    leases.renew('back');
    expect(passSeconds(1)).toEqual(['away']);
    leases.end('away');
    expect([passSeconds(13), passSeconds(1)]).toEqual([[], ['back']]);
  });

  it('forgets a claim that has ended', () => {
    const { clock, leases } = setUp();
    leases.renew('a');
    leases.end('a');
    clock.pass(4000);
    expect([leases.expired(), leases.takeChanged()]).toEqual([[], []]);
  });
});
