import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { removeFolder, waitFor } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launcherOptions } from '../../config/launcher-options.js';
import { createLauncher } from './create-launcher.js';
import type { Launcher } from './launcher.js';

const name = 'here-00000001';
const ref = { name, handle: name };
let folder = '';
let launcher: Launcher;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-script-'));
  const [options] = launcherOptions.parse([{ name: 'here', driver: 'local', folder }]);
  launcher = createLauncher(options as never, folder);
});
afterEach(async () => {
  await launcher.stop(ref, true);
  await waitFor('it is over', async () => (await phase()) !== 'running');
  removeFolder(folder);
});
const phase = async () => (await launcher.observe([ref])).get(name)?.phase;
const said = (): string => {
  const file = join(folder, 'said');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

/** Starts a program in the place of a worker, which has said `ready` when this resolves. */
async function start(code: string): Promise<void> {
  const script = join(folder, 'worker.mjs');
  writeFileSync(
    script,
    `import { appendFileSync } from 'node:fs';
const say = (word) => appendFileSync(process.env.SAID, word + '\\n');
${code}
say('ready');
setInterval(() => undefined, 1000);`,
  );
  const environment = { SAID: join(folder, 'said') };
  await launcher.start({ name, environment, command: [process.execPath, script] });
  await waitFor('it is ready', () => said().includes('ready'));
}

describe('a worker of a shell launcher', () => {
  it('is told to stop once, though a server that was restarted stops it again', async () => {
    await start(`process.on('SIGTERM', () => say('told')); `);
    await launcher.stop(ref);
    await waitFor('it is told', () => said().includes('told'));
    // longer than a worker takes signals for one request
    await wait(600);
    await launcher.stop(ref);
    await wait(300);
    expect(said()).toBe('ready\ntold\n');
    expect(await phase()).toBe('running');
  });
});
