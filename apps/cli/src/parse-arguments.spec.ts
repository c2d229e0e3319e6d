import { AppError } from '@espalier/contracts';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { exitCodeOf } from './exit-codes.js';
import { calledAs, parseParams, parseSeeds, quoteWord } from './parse-arguments.js';
import { describeActions, matchAction } from './local/play-session.js';

describe('parseSeeds', () => {
  it('reads single seeds, lists and ranges with both ends', () => {
    expect([...parseSeeds('7')]).toEqual([7]);
    expect([...parseSeeds('3,5..7')]).toEqual([3, 5, 6, 7]);
    expect([...parseSeeds('10000..10031')]).toHaveLength(32);
  });

  it.each(['', '5..3', '1..2..3', 'a', '-1', '4294967296'])('refuses "%s"', (text) => {
    expect(() => [...parseSeeds(text)]).toThrow(AppError);
  });
});

describe('parseSeeds', () => {
  it('says that a range is backwards, and how it is meant', () => {
    expect(() => [...parseSeeds('1,5..3')]).toThrow(
      '--seeds 1,5..3: the range 5..3 is backwards; write 3..5',
    );
  });
});

describe('calledAs', () => {
  it('gives the command as a person typed it', () => {
    const link = '/app/node_modules/.bin/espalier';
    expect(calledAs(link, {})).toBe('espalier');
    expect(calledAs(link, { npm_lifecycle_event: 'npx' })).toBe('npx espalier');
    for (const event of ['cli', 'quickstart'])
      expect(calledAs('/clone/apps/cli/dist/main.js', { npm_lifecycle_event: event })).toBe('npm run cli --');
    // what runs under npm is not thereby called by it
    expect(calledAs('/clone/main.js', { npm_lifecycle_event: 'test' })).toBe('node /clone/main.js');
  });
});

describe('parseParams', () => {
  it('takes a mapping only', () => {
    expect(parseParams('{"size": 8}')).toEqual({ size: 8 });
    expect(() => parseParams('[1]')).toThrow('not a mapping');
    expect(() => parseParams('{"size"')).toThrow('not JSON');
  });
});

describe('matchAction', () => {
  const actions = ['Left', 'Down', 'Right', 'Up'];
  it('takes numbers, names in any case and beginnings that fit only one', () => {
    expect(['1', 'down', 'R', 'u'].map((word) => matchAction(word, actions))).toEqual([
      'Left',
      'Down',
      'Right',
      'Up',
    ]);
    expect(['5', 'x', ''].map((word) => matchAction(word, actions))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(matchAction('a', ['ab', 'ac'])).toBeUndefined();
    expect(matchAction('a', ['a', 'ab'])).toBe('a');
    expect(matchAction('free text', undefined)).toBe('free text');
  });

  it('takes only names, never places, where names are numbers, and shows them so', () => {
    expect(['2', '3', '1'].map((word) => matchAction(word, ['2', '3']))).toEqual(['2', '3', undefined]);
    expect(describeActions(['2', '3'])).toBe('2  3');
    expect(describeActions(['Up', 'Down'])).toBe('1 Up  2 Down');
    expect(describeActions(undefined)).toBe('any text');
  });
});

describe('quoteWord', () => {
  it('quotes what a shell would split', () => {
    expect(quoteWord('a.b=c')).toBe('a.b=c');
    expect(quoteWord("it's")).toBe(`'it'\\''s'`);
  });
});

describe('exitCodeOf', () => {
  it.each([
    [new AppError('config.unknown_key', ''), 3],
    [new AppError('config.unreadable', '', { details: { missing: true } }), 4],
    [new AppError('plugin.not_found', ''), 4],
    [new AppError('model.malformed_safetensors', ''), 3],
    [new AppError('engine.not_finite', ''), 5],
    [new AppError('cli.interrupted', ''), 75],
    [new AppError('cli.usage', ''), 2],
    [new CommanderError(1, 'commander.unknownOption', ''), 2],
    [new CommanderError(0, 'commander.help', ''), 0],
    [new TypeError('x'), 5],
  ])('maps %s to %i', (error, code) => {
    expect(exitCodeOf(error)).toBe(code);
  });
});
