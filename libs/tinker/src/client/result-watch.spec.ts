import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createResultWatch } from './result-watch.js';

const forever = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

describe('a watch over results', () => {
  it('listens once to the stop of a run, which ends whatever is late', async () => {
    const stop = new AbortController();
    const watch = createResultWatch('http://server', { stop: stop.signal, lateMs: 20 });
    // Node warns of the eleventh listener
    const awaited = Array.from({ length: 30 }, () => watch('asample', undefined, forever));
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    const outcomes = Promise.allSettled(awaited);
    await sleep(60);
    stop.abort();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: expect.objectContaining({
          code: 'engine.unreachable',
          message: expect.stringContaining('the run is asked to stop') as string,
        }) as object,
      });
  });
});
