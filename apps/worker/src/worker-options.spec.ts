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
  it('are taken as they are where they agree', () => {
    expect(load({ SLOTS: '0' }).slots).toBe(0);
    expect(load({ TEMPO__RECONNECTMAXMS: '500' }).tempo.reconnectMaxMs).toBe(500);
  });

  it.each([
    [{ SLOTS: '0', GPUS: 'off' }, /ESPALIER__WORKER__SLOTS: slots is 0; with gpus off .* set slots to 1/],
    [
      { TEMPO__RECONNECTMAXMS: '100' },
      /RECONNECTMAXMS: tempo\.reconnectMaxMs is 100; with .*reconnectMinMs 500/,
    ],
    [
      { TEMPO__RECONNECTMINMS: '6000' },
      /RECONNECTMINMS: tempo\.reconnectMinMs is 6000; with .*make reconnectMaxMs/,
    ],
  ])('that contradict each other are refused: %o', (env, sentence) => {
    expect(() => load(env)).toThrow(
      expect.objectContaining({
        code: 'config.wrong_type',
        message: expect.stringMatching(sentence) as string,
      }) as Error,
    );
  });
});
