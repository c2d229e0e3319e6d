import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { countsBytecodes } from './optimize-later.js';

/** What this Node prints when it is given the flag, as it does for one that it does not know. */
function complaint(): string {
  const program = "require('node:v8').setFlagsFromString('--interrupt-budget=500000')";
  return spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' }).stderr;
}

it('gives V8 no flag that it does not know', () => {
  expect(complaint() === '').toBe(countsBytecodes(process.versions.v8));
});

it.each([
  ['11.3.244.8-node.38', true],
  ['12.4.254.21-node.33', false],
  ['13.6.233.10-node.28', false],
])('has the flag in V8 %s: %s', (version, expected) => {
  expect(countsBytecodes(version)).toBe(expected);
});
