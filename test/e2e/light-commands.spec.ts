/**
 * @file What commands load before they do anything. Most of the time of a short command goes into its modules, so those that only
 * look at records or speak with a server must not load the engine.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';

const libraries = fileURLToPath(new URL('../../libs/', import.meta.url));
/** Hooks of Node that print the address of every module. */
const hooks = `
import { writeSync } from 'node:fs';
export async function load(url, context, next) {
  writeSync(2, 'loads ' + url + '\\n');
  return next(url, context);
}`;
const begin = `import { register } from 'node:module'; register(${JSON.stringify(asUrl(hooks))});`;

function asUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** Gives the libraries of which a command's help loads anything, and how many modules it loads in all. */
async function listLoaded(...words: string[]): Promise<{ libraries: Set<string>; modules: number }> {
  const env = { NODE_OPTIONS: `--import ${JSON.stringify(asUrl(begin))}` };
  const { code, stderr } = await runCli([...words, '--help'], { env });
  expect(code).toBe(0);
  const urls = [...stderr.matchAll(/^loads (file:.*)$/gm)].map(([, url = '']) => fileURLToPath(url));
  const own = urls.filter((path) => path.startsWith(libraries)).map((path) => path.slice(libraries.length));
  return { libraries: new Set(own.map((path) => path.split('/')[0] ?? '')), modules: urls.length };
}

describe('a command that computes nothing', () => {
  it.each(['run', 'show'])('loads nothing of the engine: %s', async (command) => {
    const { libraries, modules } = await listLoaded(command);
    expect(libraries).toContain('contracts');
    for (const heavy of ['engine', 'model', 'rollout', 'runtime']) expect(libraries).not.toContain(heavy);
    // train loads about 750
    expect(modules).toBeLessThan(450);
  });

  it('loads no command to list them all', async () => {
    const { libraries, modules } = await listLoaded();
    for (const heavy of ['engine', 'model', 'plugins', 'rollout', 'runtime', 'trainer'])
      expect(libraries).not.toContain(heavy);
    expect(modules).toBeLessThan(250);
  });

  it('is told from one that does', async () => {
    expect((await listLoaded('train')).libraries).toContain('engine');
  });
});
