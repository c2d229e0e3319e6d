import { describe, expect, it } from 'vitest';
import { readOptions, readPlayed, readSeed, withOption } from './address.js';
import { actionOfKey } from './keys.js';

describe('what is played, in the address', () => {
  it('is read as far as it is what it should be', () => {
    expect(readPlayed('["Up","Down"]')).toEqual(['Up', 'Down']);
    for (const text of [null, '', '[1]', '{}', 'Up', '["Up"']) expect(readPlayed(text)).toEqual([]);
    expect(readOptions('{"size":4}')).toEqual({ size: 4 });
    for (const text of [null, '[1]', 'null', '4', '{']) expect(readOptions(text)).toEqual({});
    expect([readSeed('12'), readSeed('-1'), readSeed('1e3'), readSeed(null)]).toEqual([
      12,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('takes options at any depth, and leaves empty sections out', () => {
    const options = { size: 4, map: { source: 'generated', holes: 0.2 } };
    expect(withOption(options, ['size'], undefined)).toEqual({ map: options.map });
    expect(withOption(options, ['map', 'holes'], 0.5)).toEqual({
      size: 4,
      map: { source: 'generated', holes: 0.5 },
    });
    expect(withOption({ map: { holes: 1 } }, ['map', 'holes'], undefined)).toEqual({});
    expect(withOption({}, ['map', 'holes'], 1)).toEqual({ map: { holes: 1 } });
  });
});

describe('keys of actions', () => {
  it('are arrows for those named so, and digits for the first nine', () => {
    const actions = ['Left', 'Down', 'Right', 'Up'];
    expect(['ArrowUp', 'ArrowLeft', '1', '4', '5', 'a'].map((key) => actionOfKey(key, actions))).toEqual([
      'Up',
      'Left',
      'Left',
      'Up',
      undefined,
      undefined,
    ]);
    expect(actionOfKey('ArrowUp', ['push', 'pull'])).toBeUndefined();
  });
});
