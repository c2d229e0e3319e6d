import { defineConfig } from 'vitest/config';

// Tests run from the sources: the workspace packages export them under this condition. The list also reaches Node, for
// `require` too, so `import` must not be in it (a CommonJS package would be handed an ES module).
const conditions = ['espalier-source', 'node'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  // Nest and TypeORM read the types that decorators record.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    include: [
      'libs/**/src/**/*.spec.ts',
      'apps/**/src/**/*.spec.ts',
      'plugins/**/*.spec.{ts,js}',
      'test/**/*.spec.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 30_000,
    server: { deps: { inline: [/@espalier\//] } },
  },
});
