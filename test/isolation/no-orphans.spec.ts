/** @file A plugin's process never outlives the one that started it. */
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

/** A program that plays the hostile environment, tells the id of its process, then does `rest`. */
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

async function isGone(pid: number): Promise<boolean> {
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

describe('the process of a plugin', () => {
  it('ends with a program that comes to its end', async () => {
    const pid = await run(program({ fault: 'none' }, ''), () => undefined);
    expect(await isGone(pid)).toBe(true);
  });

  it('ends with a program that is killed', async () => {
    const file = program({ fault: 'none' }, 'setInterval(() => undefined, 1000);');
    expect(await isGone(await run(file, (kill) => kill()))).toBe(true);
  });

  it('ends with a program that is killed while the plugin never yields', async () => {
    const file = program({ fault: 'spin', hook: 'step' }, 'await bad.step("Zero");');
    expect(await isGone(await run(file, (kill) => void setTimeout(500).then(kill)))).toBe(true);
  });
});
