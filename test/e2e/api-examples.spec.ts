import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUp, type UpProcess } from '../support/start-up.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'docs/examples');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const page = readFileSync(join(root, 'docs/api.md'), 'utf8');

let up: UpProcess;
beforeAll(async () => {
  up = await startUp('up', '--slots', '2');
}, 60_000);
afterAll(() => up.close(), 60_000);

/** Runs an example as a person would; TypeScript by way of JavaScript, since Node 20 does not run it. */
function runExample(name: string): Promise<{ code: number | null; lines: string[]; said: string }> {
  const words = name.endsWith('.sh') ? ['sh', join(folder, name)] : [process.execPath, prepare(name)];
  const [program = '', ...args] = words;
  const env = { ...process.env, ESPALIER_SERVER: up.url, ESPALIER_KEY: up.key };
  const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, said] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => void (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  return new Promise((done) =>
    child.once('close', (code) => done({ code, lines: stdout.trimEnd().split('\n'), said })),
  );
}

function prepare(name: string): string {
  if (!name.endsWith('.ts')) return join(folder, name);
  const built = join(root, '.cache/examples');
  mkdirSync(built, { recursive: true });
  copyFileSync(join(folder, 'run.yaml'), join(built, 'run.yaml'));
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const path = join(built, name.replace(/ts$/, 'mjs'));
  writeFileSync(path, ts.transpileModule(read(name), { compilerOptions: options }).outputText);
  return path;
}

const listed = new Set(
  [...page.matchAll(/^\| ([A-Z]+) +\| `([^`]+)`/gm)].map(([, method, path]) => `${method} /api/v1${path}`),
);
const names = ['watch.ts', 'watch.sh', 'watch-graphql-ws.mjs', 'watch-socket-io.mjs'];

const runSteps = Number(/^steps: (\d+)$/m.exec(read('run.yaml'))?.[1]);

describe('the examples of docs/api.md', () => {
  it('start a run and print live success, each in its way', async () => {
    const results = await Promise.all(names.map(runExample));
    results.forEach(({ code, lines, said }, index) => {
      expect([names[index], code, said]).toEqual([names[index], 0, '']);
      expect(lines[0]).toMatch(/^run run-/);
      expect(lines.at(-1)).toBe('run finished');
      const steps = lines.flatMap((line) => /^step (\d+) {2}success [\d.]+$/.exec(line)?.[1] ?? []);
      expect(steps).toEqual(Array.from({ length: runSteps }, (_, index) => String(index + 1)));
    });
  }, 240_000);

  it.each([...names, 'run.yaml'])('stand on the page as they are: %s', (name) => {
    expect(page).toContain(read(name).trimEnd());
  });

  it('stand beside a list of all addresses', () => {
    const { paths } = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')) as {
      paths: Record<string, object>;
    };
    const missing = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .map((method) => `${method.toUpperCase()} ${path}`)
        .filter(() => path.startsWith('/api/v1'))
        .filter((door) => !listed.has(door)),
    );
    expect(missing).toEqual([]);
  });

  it('are short: fifteen lines of TypeScript', () => {
    expect(read('watch.ts').trimEnd().split('\n')).toHaveLength(15);
  });
});
