import { describe, expect, it } from 'vitest';
import { decodeLine } from './decode-line.js';

describe('decodeLine', () => {
  it('removes colours, null characters and overwritten text from a log', () => {
    const text = '10 %\r\u001b[32m20 %\u001b[0m\0\r';
    expect(decodeLine('log', text, 5)).toEqual({ kind: 'log', time: 5, text: '20 %\u{fffd}' });
  });

  it('truncates a long log line', () => {
    expect(decodeLine('log', 'x'.repeat(30_000), 5)).toMatchObject({ text: 'x'.repeat(20_000) });
  });

  it('sends an event as it was written', () => {
    const event = { kind: 'metrics', time: 1, step: 2, values: { a: null, b: 1 } };
    expect(decodeLine('trainer', JSON.stringify(event), 5)).toEqual(event);
  });

  it.each(['', '{"kind":"metr', '{"kind":"unheard-of","time":1}', '{"kind":"phase","time":"x"}'])(
    'makes a warning of %j, so that its number stays taken',
    (text) => {
      const event = decodeLine('trainer', text, 5);
      expect(event).toMatchObject({ kind: 'warning', time: 5, code: 'worker.invalid_line' });
    },
  );
});
