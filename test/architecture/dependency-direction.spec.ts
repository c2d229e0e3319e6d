import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, root, roomOf, sourceFiles } from './source-files.js';

/** Who may import whom; the table of ARCHITECTURE.md is compared with it. Spec files are freer, see below. */
const allowed: Record<string, readonly string[]> = {
  contracts: [],
  random: [],
  telemetry: ['contracts'],
  graph: ['contracts'],
  runtime: ['contracts', 'graph'],
  objective: ['contracts', 'graph'],
  optimizer: ['contracts', 'graph'],
  model: ['contracts', 'graph', 'random'],
  config: ['contracts', 'model', 'optimizer'],
  testing: ['contracts', 'graph'],
  engine: ['contracts', 'random', 'graph', 'runtime', 'model', 'optimizer', 'objective'],
  'plugin-kit': ['contracts', 'random', 'graph', 'objective'],
  'plugin-host': ['contracts', 'plugin-kit'],
  rollout: ['contracts', 'random', 'plugin-kit'],
  trainer: [
    'contracts',
    'random',
    'telemetry',
    'graph',
    'runtime',
    'objective',
    'optimizer',
    'model',
    'engine',
    'plugin-kit',
    'rollout',
  ],
  protocol: ['contracts'],
  client: ['contracts', 'protocol'],
  plugins: ['plugin-kit'],
  'apps/server': ['contracts', 'protocol', 'config', 'plugin-host', 'telemetry'],
  'apps/worker': ['contracts', 'protocol', 'config', 'telemetry', 'trainer'],
  'apps/cli': [
    'contracts',
    'random',
    'config',
    'telemetry',
    'plugin-host',
    'plugin-kit',
    'trainer',
    'engine',
    'graph',
    'model',
    'rollout',
    'runtime',
    'protocol',
    'client',
    'server',
    'worker',
  ],
  'apps/results': ['contracts', 'config', 'telemetry', 'model', 'trainer'],
};

/** Packages that only some rooms may touch. */
const fenced: Record<string, readonly string[]> = {
  'onnxruntime-node': ['runtime'],
  '@bufbuild/protobuf': ['graph'],
  libsql: ['apps/server'],
  typeorm: ['apps/server'],
  pg: ['apps/server'],
  'socket.io': ['apps/server'],
  'socket.io-client': ['apps/worker', 'client', 'apps/bench'],
  'graphql-ws': ['apps/server', 'client', 'apps/bench'],
  commander: ['apps/cli', 'apps/bench', 'apps/fuzz', 'apps/results', 'apps/chaos'],
  yaml: ['config', 'plugin-host', 'apps/cli', 'apps/server'],
};

/** Measure or attack everything, so they may import everything. */
const everything = new Set(['apps/bench', 'apps/fuzz', 'apps/chaos']);

const files = sourceFiles().filter((file) => roomOf(file.path) !== undefined);
const productFiles = files.filter(
  (file) => !file.path.endsWith('.spec.ts') && !file.path.includes('/src/testing/'),
);

function violations(check: (room: string, imported: string, path: string) => string | undefined): string[] {
  return productFiles.flatMap((file) =>
    importsOf(file.text).flatMap((imported) => check(roomOf(file.path) ?? '', imported, file.path) ?? []),
  );
}

describe('who may import whom', () => {
  it('covers every room', () => {
    const rooms = new Set(files.map((file) => roomOf(file.path)));
    expect(
      [...rooms].filter((room) => room !== undefined && !(room in allowed) && !everything.has(room)),
    ).toEqual([]);
  });

  it('follows the table', () => {
    const found = violations((room, imported, path) => {
      const target = /^@espalier\/([a-z-]+)$/.exec(imported)?.[1];
      if (target === undefined || target === room || everything.has(room) || allowed[room]?.includes(target))
        return undefined;
      return `${path}: ${room} may not import @espalier/${target}; allowed: ${allowed[room]?.join(', ')}`;
    });
    expect(found).toEqual([]);
  });

  it('is what the table of ARCHITECTURE.md says', () => {
    const shown = shownTable();
    const sorted = (table: Readonly<Record<string, readonly string[]>>) =>
      Object.fromEntries(Object.entries(table).map(([room, names]) => [room, [...names].sort()]));
    expect(sorted(shown.limited)).toEqual(sorted(allowed));
    expect(shown.free).toEqual([...everything, 'test/']);
  });

  it('uses no deep imports but those of tests, the plain one of config and the bounds of the protocol', () => {
    const doors = /^@espalier\/((plugin-kit|server)\/testing|config\/plain|protocol\/bounds)$/;
    const found = violations((_room, imported, path) =>
      /^@espalier\/[a-z-]+\/.+/.test(imported) && !doors.test(imported)
        ? `${path}: ${imported}; import the package's public names`
        : undefined,
    );
    expect(found).toEqual([]);
  });

  it('keeps fenced packages in their rooms', () => {
    const found = violations((room, imported, path) =>
      fenced[imported] !== undefined && !fenced[imported].includes(room)
        ? `${path}: only ${fenced[imported].join(', ')} may import ${imported}`
        : undefined,
    );
    expect(found).toEqual([]);
  });

  it('never imports Nest outside apps', () => {
    const found = violations((room, imported, path) =>
      imported.startsWith('@nestjs/') && !room.startsWith('apps/')
        ? `${path}: imports ${imported}`
        : undefined,
    );
    expect(found).toEqual([]);
  });

  it('never climbs out of a package by a relative path', () => {
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

  it('has no import cycle inside a package', () => {
    expect(cycles()).toEqual([]);
  });
});

/** The column "may import" of ARCHITECTURE.md: rooms with a list, and rooms that may import anything. */
function shownTable(): { limited: Record<string, readonly string[]>; free: string[] } {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const limited: Record<string, readonly string[]> = {};
  const free: string[] = [];
  for (const [, path = '', column = ''] of page.matchAll(/^\| `([^`]+)` +\| [^|]+\| ([^|]+?) +\|$/gm)) {
    const room = path === 'plugins/*/*' ? 'plugins' : path.replace(/^libs\//, '');
    if (column === 'anything') free.push(room);
    else limited[room] = column === '–' ? [] : column.split(', ');
  }
  return { limited, free };
}

function cycles(): string[] {
  const known = new Set(productFiles.map((file) => file.path));
  const edges = new Map<string, string[]>();
  for (const file of productFiles) {
    const folder = file.path.split('/').slice(0, -1);
    // Type-only imports vanish at run time and cannot form a cycle there.
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
          return parts.join('/').replace(/\.js$/, '.ts');
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
