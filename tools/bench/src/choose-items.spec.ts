import { describe, expect, it } from 'vitest';
import { chooseItems } from './choose-items.js';

const names = ['decode/5m/1', 'decode/5m/16', 'server-start', 'server-search/sqlite', 'serverless'];

describe('chooseItems', () => {
  it.each([
    ['', names],
    ['server-start', ['server-start']],
    ['decode', ['decode/5m/1', 'decode/5m/16']],
    ['server', ['server-start', 'server-search/sqlite']],
    ['server-search,decode/5m/1', ['decode/5m/1', 'server-search/sqlite']],
  ])('chooses by %j', (only, chosen) => {
    expect(chooseItems(only, names)).toEqual({ chosen });
  });

  it.each(['decode/5', 'serv', 'decode,nothing'])('names the part of %j that names nothing', (only) => {
    expect(chooseItems(only, names)).toEqual({ unknown: only.split(',').at(-1) });
  });
});
