/**
 * Tests of a plugin package that lies outside this repository, with the kit, zod and vitest of this one:
 *   npx vitest run --config vitest.plugin.config.ts --dir ../my-plugin
 */
import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig } from 'vitest/config';
import shared from './vitest.config.js';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const kit = here('libs/plugin-kit/src');

const outside = defineConfig({
  resolve: {
    alias: [
      { find: /^@espalier\/plugin-kit\/testing$/, replacement: `${kit}/testing/index.ts` },
      { find: /^@espalier\/plugin-kit$/, replacement: `${kit}/index.ts` },
      { find: /^zod$/, replacement: here('node_modules/zod') },
    ],
  },
});

export default {
  ...mergeConfig(shared, outside),
  test: { ...shared.test, include: ['**/*.spec.{ts,js}'] },
};
