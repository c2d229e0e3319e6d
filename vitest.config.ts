import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Tests run from the sources: the workspace packages export them under this condition. The list also reaches Node, for
// `require` too, so `import` must not be in it (a CommonJS package would be handed an ES module).
const conditions = ['espalier-source', 'node'];

// Nest is not transformed and gets from Node the CommonJS copy of graphql; the sources have to get the same.
const graphql = { find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') };

/** The slowest files, slowest first; those of 20 s and more on two cores. */
const slowest: readonly string[] = [
  'packages/outside-clone',
  'e2e/worker-drain',
  'e2e/bad-plugins',
  'e2e/bench-short',
  'e2e/chaos-server-short',
  'e2e/control-create',
  'e2e/up-run',
  'e2e/backup',
  'e2e/server-process',
  'e2e/explorer',
  'hostile/postgres',
  'e2e/worker-jobs',
  'e2e/control-pause',
  'e2e/two-hosts',
  'e2e/cli-model',
  'e2e/worker-faults',
  'e2e/chaos-short',
  'hostile/sqlite',
  'server/trajectories',
  'e2e/control-access',
  'e2e/local-tools',
  'e2e/cli-train',
  'e2e/cli-faults',
  'e2e/cli-commands',
  'e2e/cli-bad-input',
  'reliability/damaged-files',
  'e2e/results',
  'server/anonymous-sockets',
  'conformance/docker',
  'e2e/dashboard',
];

/** Projects whose files share processes, in the order they run. */
const sharing = ['server', 'shared'];

/**
 * Starts the slowest files first, so that no worker is left with one at the end; a fresh clone has no timings. Files
 * that share a process come last, together: a process ends where a file of another kind is next.
 */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const place = slowest.findIndex((name) => moduleId.endsWith(`test/${name}.spec.ts`));
      return (
        (place < 0 ? slowest.length : place) + (sharing.indexOf(project.name) + 1) * (slowest.length + 1)
      );
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

const all = [
  'libs/**/src/**/*.spec.ts',
  'apps/**/src/**/*.spec.ts',
  'tools/*/src/**/*.spec.ts',
  'plugins/**/*.spec.{ts,js}',
  'test/**/*.spec.ts',
];

/**
 * Specs of whole programs, each with a process of its own: most of their work lies in child processes, which run what
 * is built. They take the packages as built, too: Node loads those in a fraction of the time of transformed sources.
 */
const built = [
  'test/{conformance,e2e,hostile,invariance,isolation,learning,packages,reliability,tinker}/**/*.spec.ts',
];

/**
 * Specs of sources with a process of their own: they change the process or a module, or they need subnormal numbers,
 * which onnxruntime turns off for the rest of a process.
 */
const alone = [
  'test/gradient/tiny-llama-rounded.spec.ts',
  'apps/cli/src/remote/start-local-worker.spec.ts',
  'apps/worker/src/devices/devices.spec.ts',
  'libs/engine/src/large-model.spec.ts',
  'libs/engine/src/webgpu-training.spec.ts',
  'libs/model/src/quantized-weights.spec.ts',
  'libs/model/src/weights/float16.spec.ts',
  'libs/recorder/src/sinks.spec.ts',
  'tools/fuzz/src/environments/run-environment.spec.ts',
];
/** Specs of the server. */
const server = ['test/server/**/*.spec.ts', 'apps/server/src/**/*.spec.ts'];
const never = ['**/node_modules/**', '**/dist/**'];

/** Packages are their sources. */
const fromSources = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
};
const inline = [/@espalier\//];
/** Linked packages lie outside of node_modules. */
const external = [/\/(apps|libs|tools|plugins\/\w+)\/[\w-]+\/dist\//];

/** Where a spec names a source of a package by its path, gives what is built of it, so that no module exists twice. */
const compiled: Plugin = {
  name: 'compiled',
  enforce: 'pre',
  resolveId(source, importer) {
    if (importer === undefined || !source.startsWith('.')) return undefined;
    const path = relative(import.meta.dirname, resolve(dirname(importer), source));
    const id = resolve(import.meta.dirname, path.replace('/src/', '/dist/'));
    // what only tests use is not built
    return path.includes('/src/') && existsSync(id) ? { id, external: true } : undefined;
  },
};

/** Specs that share processes: `npm run verify` runs them with what it has just built, which Node loads faster. */
const takesBuilt = process.env['ESPALIER_TESTS'] === 'built';
const shared = takesBuilt ? { plugins: [compiled] } : fromSources;
const deps = takesBuilt ? { external } : { inline };

export default defineConfig({
  resolve: { alias: [graphql] },
  // Nest and TypeORM read the types that decorators record.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    // much of the time goes into child processes that wait for each other
    maxWorkers: 4,
    globalSetup: 'test/support/shared-folder.ts',
    sequence: { sequencer: SlowestFirst },
    // trains tiny models, whose second thread would spin and wait; specs about threads name their number
    env: { OMP_NUM_THREADS: '1' },
    // against what never ends, not against a slow machine
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // who looks leaves the processor to those it waits for: an answer of a server takes several milliseconds of it
    expect: { poll: { timeout: 20_000, interval: 150 } },
    projects: [
      {
        extends: true,
        plugins: [compiled],
        test: {
          name: 'built',
          include: built,
          exclude: never,
          server: { deps: { external } },
        },
      },
      {
        extends: true,
        ...fromSources,
        test: { name: 'alone', include: alone, exclude: never, server: { deps: { inline } } },
      },
      // These and the next import the same modules: each worker loads a module once.
      {
        extends: true,
        ...shared,
        test: { name: 'server', include: server, exclude: never, isolate: false, server: { deps } },
      },
      {
        extends: true,
        ...shared,
        test: {
          name: 'shared',
          include: all,
          exclude: [...never, ...built, ...server, ...alone],
          isolate: false,
          server: { deps },
        },
      },
    ],
  },
});
