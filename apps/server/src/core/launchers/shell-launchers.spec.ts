import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { launcherOptions } from '../../config/launcher-options.js';
import { createLauncher } from './create-launcher.js';
import type { Launcher } from './launcher.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-shells-'));
  // two machines, each a home folder here; one with a file `down` cannot be reached
  const ssh = `#!/bin/sh
while [ "$1" != -- ]; do shift; done
if [ -e ${folder}/$2.down ]; then echo "ssh: connect to host $2 port 22: Connection refused" >&2; exit 255; fi
mkdir -p ${folder}/$2 && HOME=${folder}/$2 exec $3`;
  writeFileSync(join(folder, 'ssh'), ssh, { mode: 0o755 });
});
afterEach(() => removeFolder(folder));

/** The launcher of a server that has just started. */
function create(): Launcher {
  const given = {
    name: 'far',
    driver: 'ssh',
    hosts: ['one', 'two'],
    perHost: 1,
    maximum: 2,
    program: join(folder, 'ssh'),
    worker: { server: 'http://127.0.0.1:4500' },
  };
  return createLauncher(launcherOptions.parse([given])[0] as never, folder);
}
const order = (name: string) => ({ name, environment: {}, command: ['sleep', '10'] });

it.each([true, false])(
  'starts no more than perHost workers on a machine after a restart of the server; it can be reached: %j',
  async (isUp) => {
    const handle = await create().start(order('far-1'));
    expect(handle).toBe('one/far-1');
    const launcher = create();
    const down = join(folder, 'one.down');
    if (!isUp) writeFileSync(down, '');
    const seen = (await launcher.observe([{ name: 'far-1', handle }])).get('far-1');
    expect(seen?.phase === 'unknown').toBe(!isUp);
    if (existsSync(down)) rmSync(down);
    const refs = [
      { name: 'far-1', handle },
      { name: 'far-2', handle: await launcher.start(order('far-2')) },
    ];
    expect(refs[1]?.handle).toBe('two/far-2');
    await expect(launcher.start(order('far-3'))).rejects.toThrow(/has 1 workers already \(perHost\)/);
    for (const ref of refs) await launcher.stop(ref, true);
  },
);

it.each([
  [['one', 'two'], 2, 4, undefined],
  [
    ['one', 'two'],
    2,
    5,
    /^maximum 5 exceeds 4, which is hosts \(2\) times perHost \(2\); lower it, raise perHost or add hosts$/,
  ],
  [['one', 'one'], 1, 2, /exceeds 1, which is hosts \(1\) times/],
])(
  'refuses a maximum that its hosts cannot have: %j, perHost %i, maximum %i',
  (hosts, perHost, maximum, said) => {
    const worker = { server: 'http://127.0.0.1:4500' };
    const result = launcherOptions.safeParse([
      { name: 'far', driver: 'ssh', hosts, perHost, maximum, worker },
    ]);
    if (said === undefined) return expect(result.success).toBe(true);
    expect(result.error?.issues).toMatchObject([{ path: [0, 'maximum'] }]);
    expect(result.error?.issues[0]?.message).toMatch(said);
  },
);
