import { describe, expect, it } from 'vitest';
import { loadWorkerOptions } from './worker-options.js';

const load = (env: Record<string, string>) =>
  loadWorkerOptions(
    'no-such-file.yaml',
    Object.fromEntries(
      Object.entries({ KEY: 'k', ...env }).map(([name, value]) => [`ESPALIER__WORKER__${name}`, value]),
    ),
  );

describe('settings of a worker', () => {
  it('are accepted if they agree', () => {
    expect(load({ SLOTS: '0' }).slots).toBe(0);
    expect(load({ TIMING__RECONNECTMAXMS: '500' }).timing.reconnectMaxMs).toBe(500);
  });

  it.each([
    [
      { SLOTS: '0', GPUS: 'off' },
      /ESPALIER__WORKER__SLOTS: slots is 0; a worker without slots .* set slots to 1/,
    ],
    [
      { TIMING__RECONNECTMAXMS: '100' },
      /RECONNECTMAXMS: timing\.reconnectMaxMs is 100; .*reconnectMinMs 500 exceeds/,
    ],
    [
      { TIMING__RECONNECTMINMS: '6000' },
      /RECONNECTMINMS: timing\.reconnectMinMs is 6000; .*set reconnectMaxMs/,
    ],
  ])('are rejected if they contradict each other: %o', (env, sentence) => {
    expect(() => load(env)).toThrow(
      expect.objectContaining({
        code: 'config.wrong_type',
        message: expect.stringMatching(sentence) as string,
      }) as Error,
    );
  });
});
