import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kitVersion } from '../definition.js';
import { expectSamePlay, ofChance, type Play } from './same-play.js';

const play = (text: string): Play => ({
  observations: [
    { text: 'start', stateKey: 'start' },
    { text, stateKey: text },
  ],
  results: [],
  renders: ['start', text],
  facts: [],
  actions: ['Up'],
});

describe('expectSamePlay', () => {
  it('names the first difference and what to draw chance from', () => {
    expect(() => expectSamePlay(play('left'), play('right'), 7, 'the same seeds', ofChance)).toThrow(
      /^state seed 7, the same seeds: observations\[1\] was \{"text":"left".*\}, then \{"text":"right".*createStream\(seeds\.state\)/,
    );
  });

  it('accepts equal plays', () => {
    expect(() => expectSamePlay(play('left'), play('left'), 7, 'the same seeds', ofChance)).not.toThrow();
  });
});

describe('kitVersion', () => {
  it('is that of the package', () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    expect(kitVersion).toBe((JSON.parse(manifest) as { version: string }).version);
  });
});
