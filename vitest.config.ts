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
  'tools/fuzz/src/environments/run-environment',
  'test/packages/outside-clone',
  'test/e2e/dashboard-start',
  'test/e2e/dashboard',
  'test/e2e/dashboard-keyboard',
  'test/e2e/turning-point',
  'test/e2e/server-process',
  'test/e2e/bad-plugins',
  'test/e2e/chaos-short',
  'test/e2e/sweep',
  'test/e2e/up-run',
  'test/invariance/lora-runs',
  'test/e2e/dashboard-bad-input',
  'test/hostile/postgres',
  'test/e2e/plugin-check',
  'test/e2e/chaos-server-short',
  'test/e2e/spec-plugins',
  'test/hostile/sqlite',
  'test/e2e/dashboard-text',
  'test/e2e/results',
  'test/e2e/takeover',
  'test/e2e/worker-jobs',
  'test/e2e/cli-faults',
  'test/e2e/bench-short',
  'test/tinker/runs',
  'test/e2e/slurm',
  'test/e2e/launchers',
  'test/tinker/kills',
  'test/e2e/dashboard-steps',
  'test/e2e/explanations',
  'test/e2e/own-plugin',
  'test/conformance/installed-plugins',
  'test/e2e/continue-fork',
  'test/e2e/cli-commands',
  'test/isolation/same-bits',
  'test/server/launchers',
  'test/server/plugin-catalogue',
  'test/server/leak-matrix',
  'apps/server/src/core/scheduling/placement/claims',
  'plugins/environments/code-repair/src/code-repair',
  'test/architecture/expressions',
  'plugins/environments/code-repair/src/sandbox/hostile',
  'tools/fuzz/src/targets',
  'plugins/environments/rubik/src/rubik',
];

/** The projects in the order they run. */
const order = ['alone', 'built', 'server', 'shared'];

/**
 * Starts the slowest files of each project first, so that no worker is left with one at the end; a fresh clone has no
 * timings. Projects come one after another, as a process that files share ends where a file of another project is next.
 */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const place = slowest.findIndex((name) => moduleId.endsWith(`/${name}.spec.ts`));
      return (place < 0 ? slowest.length : place) + order.indexOf(project.name) * (slowest.length + 1);
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
 * Specs of whole programs: much of their work lies in child processes, which run what is built. They take the packages
 * as built, too: Node loads those in a fraction of the time of transformed sources.
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
    // more than two processors have to do at once: files wait for servers, workers and browsers; with six, pages are too slow
    maxWorkers: 4,
    globalSetup: 'test/support/shared-folder.ts',
    sequence: { sequencer: SlowestFirst },
    // trains tiny models, whose second thread would spin and wait; specs about threads name their number
    env: { OMP_NUM_THREADS: '1' },
    // against what never ends, not against a slow machine
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // who looks leaves the processor to those it waits for: an answer of a server takes several milliseconds of it
    expect: { poll: { timeout: 20_000, interval: 150 } },
    projects: [
      // All but `alone` share processes: each loads a module once, and starts one catalogue and one host of commands.
      {
        extends: true,
        plugins: [compiled],
        test: {
          name: 'built',
          include: built,
          exclude: never,
          isolate: false,
          server: { deps: { external } },
        },
      },
      {
        extends: true,
        ...fromSources,
        test: { name: 'alone', include: alone, exclude: never, server: { deps: { inline } } },
      },
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
