import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseInput } from './parse-input.js';

it('names ten unknown keys and counts the others', () => {
  const given = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, index]));
  const read = () => parseInput(z.strictObject({ name: z.string().optional() }), given, 'read it');
  expect(read).toThrow(/"key9" and 19990 more/);
  expect(read).not.toThrow(/"key10"/);
});
