import { fileURLToPath } from 'node:url';
import { defineModel } from '@espalier/plugin-kit';
import { z } from 'zod';

/** Beside `src` and `dist` alike. */
const folder = fileURLToPath(new URL('../model', import.meta.url));

export default defineModel({
  id: 'seedling',
  summary: 'The small built-in model: speaks the protocol, plays a little, leaves much to learn.',
  params: z.strictObject({}),
  folder: () => folder,
});
