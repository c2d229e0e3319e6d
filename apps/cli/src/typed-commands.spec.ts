import { expect, it } from 'vitest';
import { calledAs } from './parse-arguments.js';
import { asTyped } from './typed-commands.js';

it('writes commands as they are typed here, and leaves the name of the program', () => {
  const here = calledAs();
  expect(asTyped('run espalier setup cuda --force, or `espalier run list`')).toBe(
    `run ${here} setup cuda --force, or \`${here} run list\``,
  );
  for (const text of [
    'this version of espalier; make it',
    'espalier server',
    'at /opt/espalier run',
    'Espalier trains',
  ])
    expect(asTyped(text)).toBe(text);
});
