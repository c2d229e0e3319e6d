import { fileURLToPath } from 'node:url';
import { defineModel } from '@espalier/plugin-kit';
import { z } from 'zod';
import { listUntaught } from './untaught.js';

/** Beside `src` and `dist` alike. */
const folder = fileURLToPath(new URL('../model', import.meta.url));

export default defineModel({
  id: 'seedling',
  summary: 'The small built-in model: it knows the prompt format, plays a little and leaves much to learn.',
  params: z.strictObject({}),
  folder: () => folder,
  warnings: listUntaught,
});
