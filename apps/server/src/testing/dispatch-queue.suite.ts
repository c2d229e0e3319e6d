/** @file What every dispatch queue must do, whatever it is built on; run by each implementation's spec. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DispatchQueue, Ticket } from '../dispatch/dispatch-queue.js';

/** One implementation with the service it runs on. */
export interface DispatchSubject {
  /** Makes a queue on the service's storage; every call another one, as another server would. */
  create(): DispatchQueue | Promise<DispatchQueue>;
  /** How the service goes away, hard, and comes back; absent where there is none beside the process. */
  readonly service?: { down(): Promise<void>; up(): Promise<void> };
  stop(): Promise<void>;
}

/** How much longer than `holdMs` an expired ticket may take to come back. */
const graceMs = 1500;

/**
 * Describes a dispatch queue.
 *
 * @param place `service` when the storage can go away beside the process, else `process`
 * @param begin starts the storage, once
 */
export function testDispatchQueue(place: 'service' | 'process', begin: () => Promise<DispatchSubject>): void {
  let subject: DispatchSubject;
  let queue: DispatchQueue;
  let lane: string;
  const others: DispatchQueue[] = [];
  const another = async () => {
    const made = await subject.create();
    others.push(made);
    await made.start();
    return made;
  };
  const ticket = (name: string, priority = 0, enqueuedAt = 1000): Ticket => ({
    jobId: `${lane}/${name}`,
    lane,
    priority,
    enqueuedAt,
  });
  const offerAll = async (...tickets: readonly Ticket[]) => {
    for (const each of tickets) await queue.offer(each);
  };
  const names = (tickets: readonly (Ticket | null)[]) => tickets.map((each) => each?.jobId.split('/')[1]);
  const drain = async (from = queue) => {
    const taken: Ticket[] = [];
    for (
      let next = await from.take(lane, 'w', 60_000);
      next !== null;
      next = await from.take(lane, 'w', 60_000)
    )
      taken.push(next);
    return taken;
  };

  beforeAll(async () => {
    subject = await begin();
    queue = await subject.create();
    await queue.start();
  }, 60_000);
  beforeEach(() => {
    lane = `cpu-${randomUUID().slice(0, 8)}`;
  });
  afterEach(async () => {
    for (const made of others.splice(0)) await made.close();
  });
  afterAll(async () => {
    await queue.close();
    await subject.stop();
  }, 60_000);

  describe('order', () => {
    it('serves higher priority first, then age, whatever the order of offering', async () => {
      await offerAll(
        ticket('oldest', 0, 800),
        ticket('young', 0, 3000),
        ticket('urgent', 5, 4000),
        ticket('old', 0, 1000),
        ticket('patient', -5, 500),
        ticket('middle', 0, 2000),
      );
      const order = ['urgent', 'oldest', 'old', 'middle', 'young', 'patient'];
      expect(names(await queue.waiting(lane, 10))).toEqual(order);
      expect(names(await queue.waiting(lane, 2))).toEqual(order.slice(0, 2));
      expect(await queue.position(ticket('middle').jobId)).toBe(3);
      expect(names(await drain())).toEqual(order);
    });

    it('returns the ticket as it was offered', async () => {
      const offered = ticket('a', -7, 1_764_000_000_123);
      await queue.offer(offered);
      expect(await queue.waiting(lane, 1)).toEqual([offered]);
      expect(await queue.take(lane, 'w', 60_000)).toEqual(offered);
    });

    it('puts what is given back in its old place', async () => {
      await offerAll(...['a', 'b', 'c', 'd'].map((name, index) => ticket(name, 0, 1000 + index)));
      const [a, b, c] = [
        await queue.take(lane, 'w', 60_000),
        await queue.take(lane, 'w', 60_000),
        await queue.take(lane, 'w', 60_000),
      ];
      for (const held of [b, a, c]) expect(await queue.giveBack(held?.jobId ?? '', 'w')).toBe(true);
      expect(names(await queue.waiting(lane, 10))).toEqual(['a', 'b', 'c', 'd']);
      expect(names(await drain())).toEqual(['a', 'b', 'c', 'd']);
    });

    it('moves a reprioritised ticket to the place of its age', async () => {
      await offerAll(ticket('a', 1, 1000), ticket('b', 0, 2000), ticket('c', 1, 3000), ticket('d', 1, 4000));
      expect(await queue.reprioritise(ticket('b').jobId, 1)).toBe(true);
      expect(await queue.reprioritise(ticket('d').jobId, -1)).toBe(true);
      expect(await queue.reprioritise('nobody', 1)).toBe(false);
      expect(await queue.position(ticket('b').jobId)).toBe(1);
      const taken = await drain();
      expect(names(taken)).toEqual(['a', 'b', 'c', 'd']);
      expect(taken.map(({ priority }) => priority)).toEqual([1, 1, 1, -1]);
    });

    it('keeps a priority given while the ticket was held', async () => {
      await offerAll(ticket('a', 0, 1000), ticket('b', 0, 2000));
      await queue.take(lane, 'w', 60_000);
      expect(await queue.reprioritise(ticket('a').jobId, -1)).toBe(true);
      await queue.giveBack(ticket('a').jobId, 'w');
      expect(names(await drain())).toEqual(['b', 'a']);
    });

    it('keeps lanes apart and orders over all of them', async () => {
      const far = { ...ticket('far', 999_999), lane: `${lane}-far` };
      await offerAll(ticket('near', 999_998), far);
      expect(names([await queue.take(lane, 'w', 60_000), await queue.take(lane, 'w', 60_000)])).toEqual([
        'near',
        undefined,
      ]);
      expect(await queue.lanes()).toContain(`${lane}-far`);
      expect(await queue.lanes()).not.toContain(lane);
      expect(names(await queue.waiting(undefined, 1))).toEqual(['far']);
      await queue.withdraw(far.jobId);
    });
  });

  describe('offer', () => {
    it('is idempotent by job, in every state and lane', async () => {
      expect(await queue.offer(ticket('a'))).toBe(true);
      expect(await queue.offer(ticket('a', 9, 5000))).toBe(false);
      await queue.take(lane, 'w', 60_000);
      expect(await queue.offer(ticket('a'))).toBe(false);
      expect(await queue.offer({ ...ticket('a'), lane: `${lane}-far` })).toBe(false);
      expect(await queue.count(lane)).toEqual({ waiting: 0, resting: 0, held: 1 });
    });

    it('takes a job again after it was settled or withdrawn', async () => {
      await queue.offer(ticket('a'));
      await queue.take(lane, 'w', 60_000);
      await queue.settle(ticket('a').jobId, 'w');
      expect(await queue.offer(ticket('a'))).toBe(true);
      await queue.withdraw(ticket('a').jobId);
      expect(await queue.offer(ticket('a', 1))).toBe(true);
      expect((await drain()).map((each) => each.priority)).toEqual([1]);
    });

    it('puts a ticket that is withdrawn into another lane, whatever became of it in the first', async () => {
      const other = `${lane}-other`;
      const moved = ['held', 'resting', 'waiting'].map((name, index) => ticket(name, 7, 1000 + index));
      await offerAll(...moved, ticket('stays', 7, 2000));
      for (const _ of ['held', 'resting']) await queue.take(lane, 'w', 60_000);
      await queue.giveBack(ticket('resting').jobId, 'w', Date.now() + 60_000);
      const peer = await another();
      for (const each of [...moved].reverse()) {
        expect(await peer.withdraw(each.jobId)).toBe(true);
        expect(await peer.offer({ ...each, lane: other, priority: 3 })).toBe(true);
      }
      expect(await queue.settle(ticket('held').jobId, 'w')).toBe(false);
      expect(names(await queue.waiting(lane, 9))).toEqual(['stays']);
      expect(await queue.count(lane)).toEqual({ waiting: 1, resting: 0, held: 0 });
      expect(await queue.waiting(other, 9)).toEqual(
        moved.map((each) => ({ ...each, lane: other, priority: 3 })),
      );
      expect(await queue.position(ticket('waiting').jobId)).toBe(2);
      // the place is the lane's it is in now
      expect(await queue.reprioritise(ticket('waiting').jobId, 9)).toBe(true);
      expect(names([await queue.take(other, 'w', 60_000)])).toEqual(['waiting']);
      expect(names(await drain())).toEqual(['stays']);
      for (const name of ['held', 'resting', 'waiting']) await queue.withdraw(ticket(name).jobId);
      expect(await queue.count(other)).toEqual({ waiting: 0, resting: 0, held: 0 });
    });

    it('refuses what cannot be ordered', async () => {
      for (const bad of [
        ticket('a', 0.5),
        ticket('a', 2e6),
        ticket('a', 0, Number.NaN),
        { ...ticket('a'), lane: 'a:b' },
      ])
        await expect(queue.offer(bad)).rejects.toMatchObject({ code: 'dispatch.invalid_ticket' });
      expect(await queue.count(lane)).toEqual({ waiting: 0, resting: 0, held: 0 });
    });

    it('is heard by listeners until they leave', async () => {
      const heard: string[] = [];
      const leave = queue.onOffer((where) => heard.push(where));
      await queue.offer(ticket('a'));
      await vi.waitFor(() => expect(heard).toEqual([lane]));
      await queue.take(lane, 'w', 60_000);
      await queue.giveBack(ticket('a').jobId, 'w');
      await vi.waitFor(() => expect(heard).toEqual([lane, lane]));
      leave();
      await queue.offer(ticket('b'));
      await sleep(20);
      expect(heard).toHaveLength(2);
    });
  });

  describe('a hold', () => {
    it('belongs to its holder alone', async () => {
      await queue.offer(ticket('a'));
      await queue.take(lane, 'w-1', 60_000);
      const { jobId } = ticket('a');
      expect(await queue.position(jobId)).toBeNull();
      expect(await queue.settle(jobId, 'w-2')).toBe(false);
      expect(await queue.giveBack(jobId, 'w-2')).toBe(false);
      expect(await queue.extend(jobId, 'w-2', 60_000)).toBe(false);
      expect(await queue.settle(jobId, 'w-1')).toBe(true);
      expect(await queue.settle(jobId, 'w-1')).toBe(false);
      expect(await queue.count(lane)).toEqual({ waiting: 0, resting: 0, held: 0 });
    });

    it('ends by itself, and its holder has lost the ticket', async () => {
      await offerAll(ticket('a', 0, 1000), ticket('b', 0, 2000), ticket('c', 0, 3000));
      await queue.take(lane, 'w-1', 1000);
      await queue.take(lane, 'w-1', 1000);
      expect(names(await queue.waiting(lane, 10))).toEqual(['c']);
      await sleep(1000 + graceMs);
      expect(names(await queue.waiting(lane, 10))).toEqual(['a', 'b', 'c']);
      expect(names([await queue.take(lane, 'w-2', 60_000)])).toEqual(['a']);
      expect(await queue.settle(ticket('a').jobId, 'w-1')).toBe(false);
      expect(await queue.extend(ticket('b').jobId, 'w-1', 60_000)).toBe(false);
      expect(await queue.settle(ticket('a').jobId, 'w-2')).toBe(true);
    });

    it('lasts as long as it is extended', async () => {
      await queue.offer(ticket('a'));
      await queue.take(lane, 'w-1', 1500);
      for (let round = 0; round < 4; round++) {
        await sleep(600);
        expect(await queue.extend(ticket('a').jobId, 'w-1', 3000)).toBe(true);
        expect(await queue.take(lane, 'w-2', 60_000)).toBeNull();
      }
      expect(await queue.settle(ticket('a').jobId, 'w-1')).toBe(true);
    });

    it('given back until later rests, then returns to its place', async () => {
      await offerAll(ticket('a', 0, 1000), ticket('b', 0, 2000));
      await queue.take(lane, 'w', 60_000);
      expect(await queue.giveBack(ticket('a').jobId, 'w', Date.now() + 1500)).toBe(true);
      expect(await queue.count(lane)).toEqual({ waiting: 1, resting: 1, held: 0 });
      expect(names(await queue.waiting(lane, 10))).toEqual(['b']);
      expect(await queue.position(ticket('a').jobId)).toBeNull();
      await sleep(1500 + graceMs);
      expect(names(await drain())).toEqual(['a', 'b']);
    });

    it('takes a priority while it rests, and has it when it returns', async () => {
      await offerAll(ticket('a', 0, 1000), ticket('b', 0, 2000));
      await queue.take(lane, 'w', 60_000);
      await queue.giveBack(ticket('a').jobId, 'w', Date.now() + 300);
      expect(await queue.reprioritise(ticket('a').jobId, -2)).toBe(true);
      expect(await queue.count(lane)).toEqual({ waiting: 1, resting: 1, held: 0 });
      await vi.waitFor(async () => expect(await queue.waiting(lane, 9)).toHaveLength(2), {
        timeout: 300 + graceMs,
      });
      const taken = await drain();
      expect(names(taken)).toEqual(['b', 'a']);
      expect(taken.map(({ priority }) => priority)).toEqual([0, -2]);
    });

    it('ends when the ticket is withdrawn', async () => {
      await offerAll(ticket('a', 0, 1000), ticket('b', 0, 2000), ticket('c', 0, 3000));
      await queue.take(lane, 'w', 60_000);
      await queue.take(lane, 'w', 60_000);
      await queue.giveBack(ticket('b').jobId, 'w', Date.now() + 60_000);
      for (const name of ['a', 'b', 'c']) expect(await queue.withdraw(ticket(name).jobId)).toBe(true);
      expect(await queue.withdraw(ticket('a').jobId)).toBe(false);
      expect(await queue.settle(ticket('a').jobId, 'w')).toBe(false);
      expect(await queue.count(lane)).toEqual({ waiting: 0, resting: 0, held: 0 });
    });
  });

  describe('many takers', () => {
    it('never get the same ticket, over 300 tickets and two servers', async () => {
      const peer = await another();
      const offered = Array.from({ length: 300 }, (_, index) => ticket(`t${index}`, index % 3, 1000 + index));
      await Promise.all(offered.map((each) => queue.offer(each)));
      const taken: string[] = [];
      const taker = async (from: DispatchQueue, holder: string) => {
        for (;;) {
          const next = await from.take(lane, holder, 60_000);
          if (next === null) return;
          taken.push(next.jobId);
          if (taken.length % 3 === 0) await from.settle(next.jobId, holder);
        }
      };
      await Promise.all([1, 2, 3].flatMap((index) => [taker(queue, `a${index}`), taker(peer, `b${index}`)]));
      expect(new Set(taken).size).toBe(300);
      expect(taken).toHaveLength(300);
      expect(await peer.count(lane)).toEqual({ waiting: 0, resting: 0, held: 200 });
    }, 60_000);

    it('share what expires: one of them gets it', async () => {
      const peer = await another();
      await queue.offer(ticket('a'));
      await queue.take(lane, 'lost', 100);
      await sleep(100 + graceMs);
      const both = await Promise.all([queue.take(lane, 'w-1', 60_000), peer.take(lane, 'w-2', 60_000)]);
      const later = [await queue.take(lane, 'w-1', 60_000), await peer.take(lane, 'w-2', 60_000)];
      expect([...both, ...later].filter((each) => each !== null)).toHaveLength(1);
    });

    it('withdraw against take ends with one winner at most', async () => {
      const peer = await another();
      await offerAll(...Array.from({ length: 40 }, (_, index) => ticket(`t${index}`, 0, 1000 + index)));
      const [, taken] = await Promise.all([
        Promise.all(Array.from({ length: 40 }, (_, index) => peer.withdraw(ticket(`t${index}`).jobId))),
        drain(),
      ]);
      expect(new Set(names(taken)).size).toBe(taken.length);
      expect(await queue.count(lane)).toEqual({ waiting: 0, resting: 0, held: 0 });
    });
  });

  describe('what was offered', () => {
    it('is there after close and reopen, held tickets still held', async () => {
      const first = await another();
      for (const name of ['a', 'b', 'c']) await first.offer(ticket(name, name === 'c' ? 1 : 0, 1000));
      expect(names([await first.take(lane, 'w', 60_000)])).toEqual(['c']);
      await first.close();
      await expect(first.take(lane, 'w', 60_000)).rejects.toMatchObject({ code: 'dispatch.closed' });
      const second = await another();
      expect(await second.count(lane)).toEqual({ waiting: 2, resting: 0, held: 1 });
      expect(await second.lanes()).toContain(lane);
      expect(await second.settle(ticket('c').jobId, 'w')).toBe(true);
      expect(new Set(names(await drain(second)))).toEqual(new Set(['a', 'b']));
    });

    if (place === 'service')
      it('can be started as soon as the service is there', async () => {
        const { service } = subject;
        if (service === undefined) throw new Error('the subject has no service to stop');
        await queue.offer(ticket('a'));
        const late = await subject.create();
        others.push(late);
        await service.down();
        try {
          await expect(late.start()).rejects.toMatchObject({ code: 'dispatch.unavailable' });
        } finally {
          await service.up();
        }
        await vi.waitFor(() => late.start(), { timeout: 20_000, interval: 100 });
        expect(names(await late.waiting(lane, 5))).toEqual(['a']);
        await vi.waitFor(async () => void (await queue.count(lane)), { timeout: 20_000, interval: 100 });
      }, 60_000);

    if (place === 'service')
      it('survives that the service dies; calls meanwhile are refused, later ones work', async () => {
        const { service } = subject;
        if (service === undefined) throw new Error('the subject has no service to stop');
        await offerAll(...['a', 'b', 'c', 'd'].map((name, index) => ticket(name, 0, 1000 + index)));
        await queue.take(lane, 'w', 60_000);
        await service.down();
        try {
          for (const call of [
            () => queue.offer(ticket('lost')),
            () => queue.take(lane, 'w', 60_000),
            () => queue.count(),
          ])
            await expect(call()).rejects.toMatchObject({ name: 'AppError', code: 'dispatch.unavailable' });
        } finally {
          await service.up();
        }
        await vi.waitFor(async () => void (await queue.count(lane)), { timeout: 20_000, interval: 100 });
        expect(await queue.settle(ticket('a').jobId, 'w')).toBe(true);
        expect(await queue.offer(ticket('e', 0, 2000))).toBe(true);
        expect(names(await drain())).toEqual(['b', 'c', 'd', 'e']);
      }, 60_000);
  });
}
