/** @file What every launcher must do; run by each driver's spec against real processes. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Launcher, LaunchedRef, LaunchOrder, Observation } from '../core/launchers/launcher.js';

/** One driver with the place where it starts workers. */
export interface LauncherSubject {
  /** Makes a launcher, as a server does when it starts. */
  create(): Launcher;
  /** name of the launcher in the settings */
  readonly name: string;
  /** Everything that other users can read of the workers: command lines, descriptions of jobs. */
  publicText(ref: LaunchedRef): Promise<string>;
  /** Ends a worker behind the launcher's back, as a lost machine or another user would. */
  endOutside(ref: LaunchedRef): Promise<void>;
  stop(): Promise<void>;
}

const secret = 'esp_the-secret-of-a-launched-worker';

/** A stand-in for the worker: saves on SIGTERM, and notes its start and its key once it can. */
const program = (behaviour: string): string => `
const fs = require('node:fs');
${behaviour}
fs.appendFileSync(process.env.PROBE, process.pid + ' ' + process.env.ESPALIER__WORKER__KEY + '\\n');
setInterval(() => {}, 1000);
`;
const behaviours = {
  saves: `process.on('SIGTERM', () => { fs.appendFileSync(process.env.PROBE, 'saved\\n'); process.exit(0); });`,
  ignores: `process.on('SIGTERM', () => fs.appendFileSync(process.env.PROBE, 'ignored\\n'));`,
  fails: `console.error('no such device'); process.exit(3);`,
} as const;

/** Describes a launcher. */
export function testLauncher(begin: () => Promise<LauncherSubject>): void {
  let subject: LauncherSubject;
  let launcher: Launcher;
  let folder: string;
  let count = 0;
  beforeAll(async () => {
    subject = await begin();
    launcher = subject.create();
    // workers may run as another user
    folder = mkdtempSync(join(tmpdir(), 'espalier-launcher-'));
  }, 60_000);
  afterAll(async () => subject.stop());

  interface Started {
    readonly order: LaunchOrder;
    readonly ref: LaunchedRef;
    readonly said: () => string;
  }

  const orderOf = (behaviour: keyof typeof behaviours): LaunchOrder & { readonly probe: string } => {
    count += 1;
    const name = `${subject.name}-${String(count).padStart(8, '0')}`;
    const probe = join(folder, `${name}.txt`);
    const script = join(folder, `${name}.cjs`);
    writeFileSync(script, program(behaviours[behaviour]));
    return {
      name,
      environment: { ESPALIER__WORKER__KEY: secret, PROBE: probe, QUOTED: `it's "quoted" $HOME` },
      command: [process.execPath, script],
      probe,
    };
  };
  const start = async (behaviour: keyof typeof behaviours): Promise<Started> => {
    const { probe, ...order } = orderOf(behaviour);
    const handle = await launcher.start(order);
    const said = (): string => (existsSync(probe) ? readFileSync(probe, 'utf8') : '');
    return { order, ref: { name: order.name, handle }, said };
  };
  const observe = async (ref: LaunchedRef): Promise<Observation | undefined> =>
    (await launcher.observe([ref])).get(ref.name);
  const phaseOf = async (ref: LaunchedRef): Promise<string> => (await observe(ref))?.phase ?? 'ended';
  const until = async (ref: LaunchedRef, phase: string): Promise<void> =>
    expect.poll(() => phaseOf(ref), { timeout: 30_000, interval: 100 }).toBe(phase);
  const untilSaid = async ({ said }: Started, word: RegExp): Promise<void> =>
    expect.poll(said, { timeout: 30_000, interval: 50 }).toMatch(word);

  it('starts a worker once, with its environment, and shows its key to nobody else', async () => {
    const started = await start('saves');
    await untilSaid(started, /esp_/);
    await until(started.ref, 'running');
    expect(await launcher.start(started.order).catch(() => started.ref.handle)).toBe(started.ref.handle);
    const shown = await subject.publicText(started.ref);
    expect(shown).toContain(started.order.name);
    expect(shown).not.toContain(secret);
    const [first = '', ...more] = started.said().trim().split('\n');
    expect([first.split(' ')[1], more]).toEqual([secret, []]);
    await launcher.stop(started.ref);
    await until(started.ref, 'ended');
  });

  it('lets a worker save when it stops it, and removes what is left', async () => {
    const started = await start('saves');
    await untilSaid(started, /esp_/);
    await launcher.stop(started.ref);
    await until(started.ref, 'ended');
    expect(started.said()).toMatch(/saved\n$/);
    await launcher.cleanUp(started.ref);
    await launcher.cleanUp(started.ref);
    expect(await phaseOf(started.ref)).toBe('ended');
  });

  it('ends by force a worker that ignores the request', async () => {
    const started = await start('ignores');
    await untilSaid(started, /esp_/);
    await launcher.stop(started.ref);
    await untilSaid(started, /ignored/);
    expect(await phaseOf(started.ref)).not.toBe('ended');
    await launcher.stop(started.ref, true);
    await until(started.ref, 'ended');
    const pid = Number(started.said().split(' ')[0]);
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
    await launcher.cleanUp(started.ref);
  });

  it('reports a worker that failed', async () => {
    const started = await start('fails');
    await until(started.ref, 'ended');
    const reason = (await observe(started.ref))?.reason ?? '';
    expect(reason).toMatch(/fail|code 3/i);
    await launcher.cleanUp(started.ref);
  });

  it('reports a worker that was ended from outside', async () => {
    const started = await start('saves');
    await untilSaid(started, /esp_/);
    await until(started.ref, 'running');
    await subject.endOutside(started.ref);
    await until(started.ref, 'ended');
    await launcher.cleanUp(started.ref);
  });

  it('finds a worker again after a restart, even if its handle was never stored', async () => {
    const started = await start('saves');
    await untilSaid(started, /esp_/);
    await until(started.ref, 'running');
    const fresh = subject.create();
    const lost = { name: started.order.name, handle: null };
    const seen = (await fresh.observe([lost])).get(lost.name);
    expect(seen).toMatchObject({ phase: 'running', handle: started.ref.handle });
    await fresh.stop({ name: lost.name, handle: seen?.handle ?? null });
    await until(started.ref, 'ended');
    await fresh.cleanUp(started.ref);
  });

  it('knows nothing of a worker that was never started', async () => {
    const never = { name: `${subject.name}-ffffffff`, handle: null };
    expect((await launcher.observe([never])).get(never.name)).toBeUndefined();
    await launcher.stop(never);
    await launcher.stop(never, true);
    await launcher.cleanUp(never);
  });

  it('observes many at once, each as it is', async () => {
    const all = [await start('saves'), await start('fails'), await start('saves')];
    const [first, failed, last] = all as [Started, Started, Started];
    await untilSaid(first, /esp_/);
    await untilSaid(last, /esp_/);
    await until(failed.ref, 'ended');
    await until(last.ref, 'running');
    const seen = await launcher.observe(all.map(({ ref }) => ref));
    const phases = all.map(({ ref }) => seen.get(ref.name)?.phase ?? 'ended');
    expect(phases).toEqual(['running', 'ended', 'running']);
    for (const { ref } of all) await launcher.stop(ref, true);
    for (const { ref } of all) await until(ref, 'ended');
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Command lines of all processes on this machine, as any user can read them. */
export async function readCommandLines(): Promise<string> {
  const { execFile } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    execFile('ps', ['-A', '-ww', '-o', 'args='], { maxBuffer: 64 * 1024 * 1024 }, (error, text) =>
      error === null ? resolve(text) : reject(error),
    );
  });
}

/** Describes a launcher whose programs may be missing; then the tests are skipped by name. */
export function describeLauncher(name: string, missing: readonly string[], define: () => void): void {
  if (missing.length === 0) describe(name, define);
  else describe.skip(`${name} (needs ${missing.join(', ')}, not installed)`, define);
}
