import { expect, it } from 'vitest';
import { changeablePathForm } from './spec-changes.js';

it('says how a path is written on a command line, where dots lead into objects', () => {
  expect(changeablePathForm).toMatch(
    /one key, as in --set "monitor\.onCollapse\.change=\{optimizer\.learningRate: \{times: 0\.5\}\}"$/,
  );
});
