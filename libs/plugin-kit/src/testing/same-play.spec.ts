import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kitVersion } from '../definition.js';
import { expectSamePlay, seedRemedy, type Play } from './same-play.js';

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
  it('names the first difference and the streams to draw from', () => {
    expect(() => expectSamePlay(play('left'), play('right'), 7, 'the same seeds', seedRemedy)).toThrow(
      /^state seed 7, the same seeds: observations\[1\] was \{"text":"left".*\}, then \{"text":"right".*createStream\(seeds\.state\)/,
    );
  });

  it('accepts equal plays', () => {
    expect(() => expectSamePlay(play('left'), play('left'), 7, 'the same seeds', seedRemedy)).not.toThrow();
  });
});

describe('kitVersion', () => {
  it('equals the version of the package', () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    expect(kitVersion).toBe((JSON.parse(manifest) as { version: string }).version);
  });
});
