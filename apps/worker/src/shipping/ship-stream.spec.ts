import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventsMessage, eventsMessage } from '@espalier/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Exchange } from '../server/connection.js';
import { createStreamShipper } from './ship-stream.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-ship-'));
  path = join(folder, 'trainer.jsonl');
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const write = (...events: object[]): void =>
  appendFileSync(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
const phase = (done: number) => ({ kind: 'phase', time: 1, step: 0, phase: 'collect', done, total: 9 });
const metrics = { kind: 'metrics', time: 1, step: 0, values: { reward: 1, missing: null } };
const row = {
  ...{ id: 'train/0/0/0', environment: 'e', split: 'train', group: 0, index: 0, stateSeed: 1, reward: null },
  ...{ environmentReward: 1, success: true, stopReason: 'success', turns: 1, tokens: 2, sampledTokens: 1 },
  ...{ kept: true, error: null, text: 'a text' },
};
const trajectory = (changes: object = {}) => ({
  ...{ kind: 'trajectory', time: 1, step: 0, row: { ...row, ...changes } },
});

/** What a server does that checks the form of each message and stores it. */
function open() {
  const sent: EventsMessage[] = [];
  const renewals: string[] = [];
  const exchange = {
    isOnline: () => true,
    renew: (reason: string) => renewals.push(reason),
    send: (_name: string, message: unknown) => {
      const parsed = eventsMessage.safeParse(message);
      if (!parsed.success)
        return Promise.resolve({ ok: false, code: 'worker.malformed_message', message: '' });
      sent.push(parsed.data);
      return Promise.resolve({ ok: true, value: { acked: parsed.data.events.at(-1)?.sequence } });
    },
  } as unknown as Exchange;
  const shipper = createStreamShipper({
    ...{ attemptId: 'a', token: 1, stream: 'trainer', path, exchange, onFenced: () => undefined },
  });
  shipper.resume(0);
  return { shipper, renewals, told: () => sent.map(({ events }) => events.map(({ event }) => event.kind)) };
}

describe('createStreamShipper', () => {
  it('sends how far a step is with what comes next, or after a second', async () => {
    const { shipper, told } = open();
    write(metrics, phase(1));
    await shipper.pump();
    write(phase(2));
    await shipper.pump();
    vi.advanceTimersByTime(500);
    write(phase(3));
    await shipper.pump();
    expect(told()).toEqual([['metrics', 'phase']]);
    expect(shipper.isDrained()).toBe(false);
    write(metrics);
    await shipper.pump();
    expect(told().slice(1)).toEqual([['phase', 'phase', 'metrics']]);
    write(phase(4));
    await shipper.pump();
    vi.advanceTimersByTime(1000);
    await shipper.pump();
    expect(told().slice(2)).toEqual([['phase']]);
    expect(shipper.isDrained()).toBe(true);
  });

  it('makes a warning of a trajectory that the server refuses, and sends all others', async () => {
    const { shipper, renewals, told } = open();
    write(metrics, trajectory(), trajectory({ turns: -1 }), trajectory());
    await shipper.pump();
    expect(told()).toEqual([['metrics', 'trajectory', 'warning', 'trajectory']]);
    expect(renewals).toEqual([]);
    expect(shipper.isDrained()).toBe(true);
  });
});
