import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventsMessage, eventsMessage } from '@espalier/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServerConnection } from '../connection.js';
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
  id: 'train/0/0/0',
  environment: 'e',
  split: 'train',
  group: 0,
  index: 0,
  stateSeed: 1,
  reward: null,
  environmentReward: 1,
  success: true,
  stopReason: 'success',
  labels: [],
  turns: 1,
  tokens: 2,
  sampledTokens: 1,
  kept: true,
  error: null,
  text: 'a text',
};
const trajectory = (changes: object = {}) => ({
  kind: 'trajectory',
  time: 1,
  step: 0,
  row: { ...row, ...changes },
});

/** A server that validates and stores each message. */
function open() {
  const sent: EventsMessage[] = [];
  const reconnects: string[] = [];
  const connection = {
    isOnline: () => true,
    reconnect: (reason: string) => reconnects.push(reason),
    send: (_name: string, message: unknown) => {
      const parsed = eventsMessage.safeParse(message);
      if (!parsed.success)
        return Promise.resolve({ ok: false, code: 'worker.malformed_message', message: '' });
      sent.push(parsed.data);
      return Promise.resolve({ ok: true, value: { acked: parsed.data.events.at(-1)?.sequence } });
    },
  } as unknown as ServerConnection;
  const shipper = createStreamShipper({
    attemptId: 'a',
    token: 1,
    stream: 'trainer',
    path,
    connection,
    onFenced: () => undefined,
  });
  shipper.resume(0);
  return {
    shipper,
    reconnects,
    kinds: () => sent.map(({ events }) => events.map(({ event }) => event.kind)),
  };
}

describe('createStreamShipper', () => {
  it('sends progress with the next event, or after a second', async () => {
    const { shipper, kinds } = open();
    write(metrics, phase(1));
    await shipper.pump();
    write(phase(2));
    await shipper.pump();
    vi.advanceTimersByTime(500);
    write(phase(3));
    await shipper.pump();
    expect(kinds()).toEqual([['metrics', 'phase']]);
    expect(shipper.isDrained()).toBe(false);
    write(metrics);
    await shipper.pump();
    expect(kinds().slice(1)).toEqual([['phase', 'phase', 'metrics']]);
    write(phase(4));
    await shipper.pump();
    vi.advanceTimersByTime(1000);
    await shipper.pump();
    expect(kinds().slice(2)).toEqual([['phase']]);
    expect(shipper.isDrained()).toBe(true);
  });

  it('turns a trajectory that the server rejects into a warning, and sends all others', async () => {
    const { shipper, reconnects, kinds } = open();
    write(metrics, trajectory(), trajectory({ turns: -1 }), trajectory());
    await shipper.pump();
    expect(kinds()).toEqual([['metrics', 'trajectory', 'warning', 'trajectory']]);
    expect(reconnects).toEqual([]);
    expect(shipper.isDrained()).toBe(true);
  });
});
