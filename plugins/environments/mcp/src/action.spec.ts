import { describe, expect, it } from 'vitest';
import { maxAction, parseAction, writeCall } from './action.js';
import { answers } from './session.js';
import { follow, isLike, matches } from './task/match.js';

describe('an action', () => {
  it.each<[string, object]>([
    ['list()', {}],
    ['  list( ) ', {}],
    ['set(key="a, b) c", n=-2.5, on=true)', { key: 'a, b) c', n: -2.5, on: true }],
    ["set(key='it\\'s \"x\"', on=True, off=None)", { key: 'it\'s "x"', on: true, off: null }],
    ['set(list=[1, "two]", {"a": [3]}], o={"b": "}"})', { list: [1, 'two]', { a: [3] }], o: { b: '}' } }],
    ['set(text="two\nlines")', { text: 'two\nlines' }],
    ['set(list=[1,\n  2])', { list: [1, 2] }],
    ['set(a=1,)', { a: 1 }],
    ['{"tool": "set", "arguments": {"a": 1}}', { a: 1 }],
    ['{"name": "set"}', {}],
    ['set(__proto__="x")', Object.fromEntries([['__proto__', 'x']])],
  ])('%j is read', (action, given) => {
    expect(parseAction(action)).toEqual({
      tool: action.includes('list(') ? 'list' : 'set',
      arguments: given,
    });
  });

  it.each([
    '',
    'list',
    'list(',
    'list()x',
    'set("a")',
    'set(a=)',
    'set(a=b)',
    'set(a=1 b=2)',
    'set(a=1, a=2)',
    'set(a="x)',
    'two words()',
    '{"tool": 1}',
    '{"tool": "a", "name": "b"}',
    '{"tool": "a", "args": {}}',
    '{"tool": "a", "arguments": []}',
    '{',
    '{"tool": "a"} {}',
    `set(a="${'x'.repeat(maxAction)}")`,
  ])('%j is told what is wrong with it', (action) => {
    expect(parseAction(action)).toEqual(expect.any(String));
  });

  it('that is written is read again', () => {
    const call = { tool: 'set', arguments: { a: 'x"\\\n,)', b: [1, { c: null }], d: false } };
    expect(parseAction(writeCall(call))).toEqual(call);
  });
});

describe('a pattern', () => {
  it.each([
    ['abc', 'abc', true],
    ['abc', 'a*c', true],
    ['abc', '*', true],
    ['', '*', true],
    ['aba', 'ab*ba', false],
    ['a.c', 'a.c', true],
    ['abc', 'a.c', false],
    ['one two three', '*two*', true],
    ['one two three', 'one*two*two*', false],
    ['aXbXc', 'a*b*c', true],
    ['ab', 'a*b*b', false],
    ['x'.repeat(5000), `${'*x'.repeat(500)}y`, false],
  ])('%j against %j', (text, pattern, expected) => {
    expect(isLike(text, pattern)).toBe(expected);
  });

  it('of JSON compares values, of text texts', () => {
    expect(matches({ equals: { a: [1] } }, '{"a":[1]}', { a: [1] })).toBe(true);
    expect(matches({ equals: 3 }, '3', 3)).toBe(true);
    expect(matches({ equals: '3' }, ' 3\n', 3)).toBe(true);
    expect(matches({ equals: 3 }, 'three')).toBe(false);
    expect(matches({ contains: 'a', lacks: 'b' }, 'cab')).toBe(false);
    expect(answers({ equals: 'Amber' }, ' amber ')).toBe(true);
    expect(answers({ equals: ['\u00c4'] }, '["\\u00C4"]')).toBe(true);
  });

  it.each([
    [{ City: 'Bern', Sights: [{ Name: 'Zytglogge' }, 1191, null, true] }, true],
    [{ city: 'bern', sights: [{ name: 'zytglogge' }, 1191, null, true] }, true],
    [{ CITY: 'Basel', Sights: [{ Name: 'Zytglogge' }, 1191, null, true] }, false],
    [{ City: 'Bern', Sights: [{ Name: 'Zytglogge' }, 1191, null] }, false],
  ])('of an answer in JSON compares without upper case: %j', (equals, expected) => {
    const answer = '{"CITY": "bern", "sights": [{"Name": "ZYTGLOGGE"}, 1191, null, true]}';
    expect(answers({ equals }, answer)).toBe(expected);
  });

  it('finds its way by own properties only', () => {
    const value = { a: [{ b: 'c' }] };
    expect(follow(value, 'a[0].b')).toBe('c');
    for (const path of ['a[1].b', 'constructor', 'a.length.x', '__proto__.a', 'a[0].b.length'])
      expect(follow(value, path)).toBeUndefined();
  });
});
