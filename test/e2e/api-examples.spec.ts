import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUp, type UpProcess } from '../support/start-up.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'docs/examples');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const page = readFileSync(join(root, 'docs/use/api.md'), 'utf8');

let up: UpProcess;
beforeAll(async () => {
  up = await startUp('up', '--slots', '2');
}, 60_000);
afterAll(() => up.close(), 60_000);

/** Runs an example as a person would; only the run is smaller. */
function runExample(name: string): Promise<{ code: number | null; lines: string[]; said: string }> {
  const path = prepare(name);
  const [program = '', ...args] = name.endsWith('.sh') ? ['sh', path] : [process.execPath, path];
  const env = { ...process.env, ESPALIER_SERVER: up.url, ESPALIER_KEY: up.key };
  const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => void (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  return new Promise((done) =>
    child.once('close', (code) => done({ code, lines: stdout.trimEnd().split('\n'), said })),
  );
}

const built = join(root, '.cache/examples');
const runSteps = 3;

/** Writes what is run; TypeScript by way of JavaScript, since Node 20 does not run it. */
function prepare(name: string): string {
  mkdirSync(built, { recursive: true });
  const path = join(built, name.replace(/ts$/, 'mjs'));
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const text = makeSmall(read(name));
  writeFileSync(path, name.endsWith('.ts') ? ts.transpileModule(text, { compilerOptions }).outputText : text);
  return path;
}

function makeSmall(text: string): string {
  return text
    .replace(/^steps: 8$/m, `steps: ${runSteps}\nrollout: { promptsPerStep: 2, groupSize: 4 }`)
    .replace('"steps": 8', `"steps": ${runSteps}, "rollout": {"promptsPerStep": 2, "groupSize": 4}`)
    .replace(/("?episodes"?): 128/, '$1: 8');
}

const names = ['watch.ts', 'watch.sh', 'watch-graphql-ws.mjs', 'watch-socket-io.mjs'];

describe('the examples of docs/use/api.md', () => {
  it('start a run and print live success, each in its way', async () => {
    prepare('run.yaml');
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

  it('are short: fifteen lines of TypeScript', () => {
    expect(read('watch.ts').trimEnd().split('\n')).toHaveLength(15);
  });
});
