import { defineConfig } from 'vite';

/** Libraries whose modules do nothing when they are loaded, so that what is not used is left out. */
const inert = /[/\\]libs[/\\](contracts|protocol|client)[/\\]/;

export default defineConfig({
  // GraphiQL has an older one; two of them do not know each other's languages
  resolve: { dedupe: ['@codemirror/language', '@codemirror/state', '@codemirror/view'] },
  build: {
    outDir: 'dist',
    target: 'es2022',
    // the policy of the server allows scripts and styles of files only
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // what a first load may weigh is a test: test/e2e/dashboard.spec.ts
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      treeshake: { moduleSideEffects: (id) => !inert.test(id) },
      // "use client" of libraries is for servers that render
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
  // `npx vite apps/dashboard` beside a running server
  server: {
    proxy: { '/graphql': { target: 'http://127.0.0.1:4500', ws: true }, '/api': 'http://127.0.0.1:4500' },
  },
});
