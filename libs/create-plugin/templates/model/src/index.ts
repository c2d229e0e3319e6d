import { fileURLToPath } from 'node:url';
import { defineModel } from '@espalier/plugin-kit';
import { z } from 'zod';

/** Beside `src` and `dist` alike. */
const folder = fileURLToPath(new URL('../model', import.meta.url));

export default defineModel({
  id: 'my-plugin',
  summary: 'An untrained model of 9,000 weights; put yours in its place.',
  params: z.strictObject({}),
  folder: () => folder,
});
