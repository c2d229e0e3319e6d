import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, root, packageOf, sourceFiles } from './source-files.js';

/** The allowed imports; must equal the table of ARCHITECTURE.md. Spec files are exempt. */
const allowed: Record<string, readonly string[]> = {
  contracts: [],
  random: [],
  diagnostics: ['contracts'],
  theory: ['contracts', 'objective', 'random'],
  files: ['contracts'],
  recorder: ['contracts', 'files'],
  trackers: ['contracts', 'files', 'recorder'],
  graph: ['contracts'],
  runtime: ['contracts', 'graph'],
  objective: ['contracts', 'graph'],
  optimizer: ['contracts', 'graph'],
  model: ['contracts', 'files', 'graph', 'random'],
  config: ['contracts', 'files', 'model', 'optimizer'],
  hub: ['contracts', 'files'],
  setup: ['contracts', 'files', 'runtime'],
  sweep: ['contracts', 'config', 'files', 'recorder'],
  report: ['contracts', 'config', 'rollout'],
  testing: ['contracts', 'graph'],
  engine: ['contracts', 'random', 'graph', 'runtime', 'model', 'optimizer', 'objective'],
  tinker: ['contracts', 'random', 'files', 'graph', 'objective', 'engine'],
  'plugin-kit': ['contracts', 'random', 'graph', 'objective'],
  'create-plugin': ['contracts', 'files'],
  'plugin-host': ['contracts', 'files', 'plugin-kit'],
  rollout: ['contracts', 'random', 'plugin-kit'],
  endpoint: ['contracts', 'random', 'plugin-kit', 'rollout'],
  trainer: [
    'contracts',
    'random',
    'files',
    'recorder',
    'diagnostics',
    'objective',
    'optimizer',
    'model',
    'engine',
    'tinker',
    'plugin-kit',
    'rollout',
    'endpoint',
  ],
  imitation: [
    'contracts',
    'random',
    'files',
    'objective',
    'optimizer',
    'model',
    'engine',
    'plugin-kit',
    'rollout',
    'trainer',
  ],
  protocol: ['contracts'],
  client: ['contracts', 'protocol'],
  plugins: ['plugin-kit'],
  'apps/server': ['contracts', 'protocol', 'config', 'plugin-host', 'files', 'recorder', 'report', 'rollout'],
  'apps/dashboard': ['contracts', 'protocol', 'client'],
  'apps/worker': ['contracts', 'protocol', 'config', 'plugin-host', 'files', 'recorder', 'trainer'],
  'apps/cli': [
    'contracts',
    'random',
    'config',
    'create-plugin',
    'files',
    'recorder',
    'report',
    'plugin-host',
    'plugin-kit',
    'trainer',
    'imitation',
    'sweep',
    'engine',
    'tinker',
    'graph',
    'hub',
    'model',
    'rollout',
    'endpoint',
    'setup',
    'theory',
    'trackers',
    'runtime',
    'protocol',
    'client',
    'server',
    'worker',
  ],
  'tools/results': ['contracts', 'config', 'files', 'recorder', 'rollout', 'sweep', 'trainer'],
  'tools/collapse': ['contracts', 'config', 'files', 'plugin-host', 'diagnostics', 'trainer'],
};

/** Third-party packages that only some packages may import. */
const restricted: Record<string, readonly string[]> = {
  'onnxruntime-node': ['runtime'],
  '@bufbuild/protobuf': ['graph', 'tinker'],
  '@huggingface/hub': ['hub'],
  libsql: ['apps/server'],
  typeorm: ['apps/server'],
  pg: ['apps/server'],
  'socket.io': ['apps/server'],
  'socket.io-client': ['apps/worker', 'client', 'tools/bench'],
  'graphql-ws': ['apps/server', 'client', 'tools/bench'],
  commander: ['apps/cli', 'tools/bench', 'tools/fuzz', 'tools/results', 'tools/chaos', 'tools/collapse'],
  yaml: ['config', 'plugin-host', 'apps/cli', 'apps/server', 'apps/dashboard', 'plugins'],
};

/** Tools that measure or test everything, so they may import everything. */
const everything = new Set(['tools/bench', 'tools/fuzz', 'tools/chaos']);

const files = sourceFiles().filter((file) => packageOf(file.path) !== undefined);
const productFiles = files.filter(
  (file) => !file.path.endsWith('.spec.ts') && !file.path.includes('/src/testing/'),
);

function violations(check: (name: string, imported: string, path: string) => string | undefined): string[] {
  return productFiles.flatMap((file) =>
    importsOf(file.text).flatMap((imported) => check(packageOf(file.path) ?? '', imported, file.path) ?? []),
  );
}

describe('imports', () => {
  it('are defined for every package', () => {
    const packages = new Set(files.map((file) => packageOf(file.path)));
    expect(
      [...packages].filter((name) => name !== undefined && !(name in allowed) && !everything.has(name)),
    ).toEqual([]);
  });

  it('follow the table', () => {
    const found = violations((name, imported, path) => {
      const target = /^@espalier\/([a-z-]+)(?:\/|$)/.exec(imported)?.[1];
      if (target === undefined || target === name || everything.has(name) || allowed[name]?.includes(target))
        return undefined;
      return `${path}: ${name} may not import @espalier/${target}; allowed: ${allowed[name]?.join(', ')}`;
    });
    expect(found).toEqual([]);
  });

  it('equal the table of ARCHITECTURE.md', () => {
    const documented = documentedTable();
    const sorted = (table: Readonly<Record<string, readonly string[]>>) =>
      Object.fromEntries(Object.entries(table).map(([name, names]) => [name, [...names].sort()]));
    expect(sorted(documented.limited)).toEqual(sorted(allowed));
    expect(documented.free).toEqual([...everything, 'test/']);
  });

  it('are never deep, except for tests and named entry points', () => {
    const entryPoints =
      /^@espalier\/((plugin-kit|server)\/testing|plugin-kit\/(chat|reasoning)|(config|server)\/plain|config\/(model-limits|sweep)|contracts\/(app-error|error-codes|failure-labels|fetch-failure|group-filter|health|in-flight|metric|mixing|model-choice|nearest-key|prompt-format|sampler-correction|schedule-options|template-message|update-record|values|visible-text)|objective\/value-normalization|model\/(adapters|conversion|quantized)|protocol\/(bounds|chat|continued|export)|report\/ledger|tinker\/server|trainer\/(attempts|continue|run-folder)|rollout\/(agents|continue|estimates))$/;
    const found = violations((_name, imported, path) =>
      /^@espalier\/[a-z-]+\/.+/.test(imported) && !entryPoints.test(imported)
        ? `${path}: ${imported}; import the package's public names`
        : undefined,
    );
    expect(found).toEqual([]);
  });

  it('keep restricted packages in their libraries', () => {
    const found = violations((name, imported, path) =>
      restricted[imported] !== undefined && !restricted[imported].includes(name)
        ? `${path}: only ${restricted[imported].join(', ')} may import ${imported}`
        : undefined,
    );
    expect(found).toEqual([]);
  });

  it('never name Nest outside apps', () => {
    const found = violations((name, imported, path) =>
      imported.startsWith('@nestjs/') && !name.startsWith('apps/')
        ? `${path}: imports ${imported}`
        : undefined,
    );
    expect(found).toEqual([]);
  });

  it('never leave a package by a relative path', () => {
    const found = productFiles.flatMap((file) =>
      importsOf(file.text)
        .filter((imported) => imported.startsWith('.'))
        .filter((imported) => {
          const parts = file.path.split('/').slice(0, -1);
          for (const part of imported.split('/')) {
            if (part === '..') parts.pop();
            else if (part !== '.') parts.push(part);
          }
          const home = file.path.split('/src/')[0];
          return !parts.join('/').startsWith(`${home}/`);
        })
        .map((imported) => `${file.path}: ${imported}`),
    );
    expect(found).toEqual([]);
  });

  it('have no cycle inside a package', () => {
    expect(cycles()).toEqual([]);
  });
});

/** Folders of the server's core, from the bottom up: a folder imports only those before it, and none imports a transport. */
const coreFolders = [
  'database',
  'input',
  'access',
  'plugins',
  'artifacts',
  'history',
  'workers',
  'launchers',
  'scheduling',
  'scaling',
  'runs',
  'verdicts',
  'backup',
] as const;

/** Folders of the server's api, from the bottom up: a folder imports only those before it. */
const apiFolders = ['errors', 'access', 'http', 'stream', 'graphql', 'rest', 'observability'] as const;

/** Packages of transports, which only `api` touches. */
const transports =
  /^(@nestjs\/(graphql|apollo|websockets|platform-|swagger)|graphql|fastify|@fastify\/|socket\.io|ws$)/;

describe('inside the server', () => {
  const server = 'apps/server/src/';
  const inside = productFiles.filter(({ path }) => path.startsWith(server));
  const placeOf = (path: string): { readonly side: string; readonly folder: string } => {
    const [side = '', folder = ''] = path.slice(server.length).split('/');
    return { side, folder: folder.endsWith('.ts') ? '' : folder };
  };
  const edges = inside.flatMap((file) =>
    importsOf(file.text)
      .filter((imported) => imported.startsWith('.'))
      .map((imported) => ({ path: file.path, target: join(file.path, '..', imported) })),
  );

  it('has exactly the folders in the table of ARCHITECTURE.md', () => {
    const found = inside.map(({ path }) => placeOf(path)).filter(({ side }) => side === 'core');
    expect([...new Set(found.map(({ folder }) => folder))].filter((folder) => folder !== '').sort()).toEqual(
      [...coreFolders].sort(),
    );
    const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const shown = [...page.matchAll(/^\| `core\/([a-z]+)` /gm)].map(([, folder]) => folder);
    expect(shown).toEqual([...coreFolders]);
  });

  it('never imports a transport from the core', () => {
    const found = edges.filter(
      ({ path, target }) => placeOf(path).side === 'core' && placeOf(target).side === 'api',
    );
    const packages = inside
      .filter(({ path }) => placeOf(path).side === 'core')
      .flatMap(({ path, text }) =>
        importsOf(text)
          .filter((imported) => transports.test(imported))
          .map((imported) => ({ path, target: imported })),
      );
    expect([...found, ...packages]).toEqual([]);
  });

  it('imports folders of the core in their order', () => {
    const rank = (folder: string): number => (coreFolders as readonly string[]).indexOf(folder);
    const found = edges.filter(({ path, target }) => {
      const from = placeOf(path);
      const to = placeOf(target);
      return (
        from.side === 'core' &&
        to.side === 'core' &&
        from.folder !== '' &&
        rank(to.folder) > rank(from.folder)
      );
    });
    expect(found).toEqual([]);
  });

  it('imports folders of the api in their order', () => {
    const rank = (folder: string): number => (apiFolders as readonly string[]).indexOf(folder);
    const inApi = inside
      .map(({ path }) => placeOf(path))
      .filter(({ side, folder }) => side === 'api' && folder !== '');
    expect([...new Set(inApi.map(({ folder }) => folder))].sort()).toEqual([...apiFolders].sort());
    const found = edges.filter(({ path, target }) => {
      const from = placeOf(path);
      const to = placeOf(target);
      return (
        from.side === 'api' && to.side === 'api' && from.folder !== '' && rank(to.folder) > rank(from.folder)
      );
    });
    expect(found).toEqual([]);
  });

  it('has no global modules but settings and database', () => {
    const found = inside.filter(({ text }) => /^@Global\(\)/m.test(text)).map(({ path }) => path);
    expect(found.sort()).toEqual([`${server}app.module.ts`]);
  });
});

/** The column "may import" of ARCHITECTURE.md: packages with a list, and packages that may import anything. */
function documentedTable(): { limited: Record<string, readonly string[]>; free: string[] } {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const limited: Record<string, readonly string[]> = {};
  const free: string[] = [];
  for (const [, path = '', column = ''] of page.matchAll(/^\| `([^`]+)` +\| [^|]+\| ([^|]+?) +\|$/gm)) {
    const name = path === 'plugins/*/*' ? 'plugins' : path.replace(/^libs\//, '');
    if (column === 'anything') free.push(name);
    else limited[name] = column === '–' ? [] : column.split(', ');
  }
  return { limited, free };
}

function cycles(): string[] {
  const known = new Set(productFiles.map((file) => file.path));
  const edges = new Map<string, string[]>();
  for (const file of productFiles) {
    const folder = file.path.split('/').slice(0, -1);
    // type-only imports are erased, so they cannot form a cycle
    const text = file.text.replace(/(?:^|\n)\s*(?:import|export)\s+type\b[^;]*;/g, '\n');
    edges.set(
      file.path,
      importsOf(text)
        .filter((imported) => imported.startsWith('.'))
        .map((imported) => {
          const parts = [...folder];
          for (const part of imported.split('/')) {
            if (part === '..') parts.pop();
            else if (part !== '.') parts.push(part);
          }
          const stem = parts.join('/').replace(/\.js$/, '');
          return known.has(`${stem}.tsx`) ? `${stem}.tsx` : `${stem}.ts`;
        })
        .filter((target) => known.has(target)),
    );
  }
  const found: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const visit = (node: string, trail: string[]): void => {
    if (state.get(node) === 'done') return;
    if (state.get(node) === 'open') {
      found.push([...trail.slice(trail.indexOf(node)), node].join(' → '));
      return;
    }
    state.set(node, 'open');
    for (const next of edges.get(node) ?? []) visit(next, [...trail, node]);
    state.set(node, 'done');
  };
  for (const node of edges.keys()) visit(node, []);
  return found;
}
