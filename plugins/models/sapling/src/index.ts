import { fileURLToPath } from 'node:url';
import { defineModel } from '@espalier/plugin-kit';
import { z } from 'zod';

/** Beside `src` and `dist` alike. What its warm start taught is in `warm-start.json` there, for warnings. */
const folder = fileURLToPath(new URL('../model', import.meta.url));

export default defineModel({
  id: 'sapling',
  summary:
    'The larger built-in model: it was taught nine environments in many variants, with and without reasoning.',
  params: z.strictObject({}),
  folder: () => folder,
});
