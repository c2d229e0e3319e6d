/** @file A plugin process never outlives its parent. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHostileWorkspace, type Workspace } from '../support/hostile-workspace.js';

const host = pathToFileURL(
  fileURLToPath(new URL('../../libs/plugin-host/dist/index.js', import.meta.url)),
).href;
let workspace: Workspace;
beforeAll(() => {
  workspace = createHostileWorkspace();
});
afterAll(() => workspace.remove());

/** A program that plays the hostile environment, prints the id of its process, then runs `rest`. */
function program(params: object, rest: string): string {
  const file = join(workspace.folder, `program-${Object.values(params).join('-')}-${rest.length}.mjs`);
  writeFileSync(
    file,
    `import { discoverPlugins } from ${JSON.stringify(host)};
const registry = await discoverPlugins({ root: ${JSON.stringify(workspace.folder)} });
const { create, params } = registry.get('environment', 'hostile');
const telling = create(params.parse({ fault: 'tell' }));
const { text } = await telling.reset({ state: 1, noise: 1 });
const pid = Number(/^try 0(\\d+)/.exec(text)[1]);
const bad = create(params.parse(${JSON.stringify(params)}));
await bad.reset({ state: 1, noise: 1 });
console.log(pid);
${rest}
`,
  );
  return file;
}

async function run(file: string, ends: (kill: () => void) => void): Promise<number> {
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let pid = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    pid = Number(chunk.toString());
    ends(() => child.kill('SIGKILL'));
  });
  await new Promise((resolve) => child.on('exit', resolve));
  expect(pid).toBeGreaterThan(1);
  return pid;
}

async function hasExited(pid: number): Promise<boolean> {
  for (let wait = 0; wait < 100; wait++) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await setTimeout(100);
  }
  return false;
}

describe('a plugin process', () => {
  it('exits with a parent that finishes', async () => {
    const pid = await run(program({ fault: 'none' }, ''), () => undefined);
    expect(await hasExited(pid)).toBe(true);
  });

  it('exits with a parent that is killed', async () => {
    const file = program({ fault: 'none' }, 'setInterval(() => undefined, 1000);');
    expect(await hasExited(await run(file, (kill) => kill()))).toBe(true);
  });

  it('exits with a parent that is killed while the plugin never yields', async () => {
    const file = program({ fault: 'spin', hook: 'step' }, 'await bad.step("Zero");');
    expect(await hasExited(await run(file, (kill) => void setTimeout(500).then(kill)))).toBe(true);
  });
});
