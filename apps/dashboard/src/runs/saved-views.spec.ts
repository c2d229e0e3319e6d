import { describe, expect, it } from 'vitest';
import { normalize, parseViews, withView } from './saved-views.js';

describe('saved views', () => {
  it('are the same whatever the order of the filters', () => {
    expect(normalize(new URLSearchParams('tag=b&state=&project=a'))).toBe('project=a&tag=b');
    expect(normalize(new URLSearchParams('project=a&tag=b'))).toBe('project=a&tag=b');
  });

  it('are replaced by name', () => {
    const one = { name: 'mine', search: 'tag=a' };
    expect(withView(withView([], one), { ...one, search: 'tag=b' })).toEqual([
      { name: 'mine', search: 'tag=b' },
    ]);
  });

  it.each([null, '', '{', '{"a":1}', 'null', '[1, null, {"name": 3}]'])(
    'ignores %j in the storage',
    (text) => {
      expect(parseViews(text)).toEqual([]);
    },
  );
});
