import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { deviceSchema } from '@espalier/protocol';
import { removeFolder, waitFor } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Logger } from '../logger.js';
import { workerOptions } from '../worker-options.js';
import { type Devices, listSlots, openDevices } from './devices.js';
import { parseGpuLine } from './parse-gpu-line.js';

const quiet: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const ownPath = process.env['PATH'];
let folder = '';
let open: Devices | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-devices-'));
  vi.stubEnv('CUDA_VISIBLE_DEVICES', undefined);
});
afterEach(() => {
  open?.close();
  open = undefined;
  process.env['PATH'] = ownPath;
  vi.unstubAllEnvs();
  removeFolder(folder);
});

const uuid = (index: number): string => `GPU-5f1c7a2e-0b1d-4c3e-9a8f-00000000000${index}`;
const line = (index: number): string =>
  `${index}, ${uuid(index)}, NVIDIA H200, 143771, 143153, 37, 118.52, 41, 0, 3, 0, [N/A], [N/A], 0, No, No, None`;
/** Nine columns, and what follows about errors. */
const errors = (more: string, uncorrected = 0): string =>
  `0, ${uuid(0)}, NVIDIA H200, 143771, 143153, 0, 70.02, 41, ${uncorrected}, ${more}`;
const well = '0, 0, [N/A], [N/A], 0, No, No, None';

/** Puts a program in the place of nvidia-smi. */
async function withProgram(body: string, change: object = {}): Promise<Devices> {
  mkdirSync(join(folder, 'bin'));
  const program = join(folder, 'bin', 'nvidia-smi');
  writeFileSync(program, `#!/bin/sh\n${body}\n`);
  chmodSync(program, 0o755);
  process.env['PATH'] = `${join(folder, 'bin')}:${ownPath}`;
  const options = workerOptions.parse({ key: 'x', timing: { sampleMs: 100 }, ...change });
  open = await openDevices(options, quiet);
  return open;
}
const eight = [...Array(8).keys()].map((index) => `echo '${line(index)}'`).join('\n');

describe('parseGpuLine', () => {
  it('reads every column in its unit', () => {
    expect(parseGpuLine(line(3))).toEqual({
      id: uuid(3),
      kind: 'gpu',
      index: 3,
      name: 'NVIDIA H200',
      threads: 0,
      memoryMb: 143771,
      freeMemoryMb: 143153,
      utilisation: 0.37,
      powerWatts: 118.52,
      temperatureCelsius: 41,
      faults: [],
      errors: {
        corrected: 3,
        uncorrected: 0,
        uncorrectedEver: 0,
        retiredPages: null,
        remappedRows: 0,
        repairPending: false,
        repairFailed: false,
        recoveryAction: 'None',
      },
    });
  });

  it('treats values that the driver does not report as unknown, not as faults', () => {
    const device = parseGpuLine(
      `0, ${uuid(0)}, NVIDIA GB10, [N/A], [N/A], [N/A], [Not Supported], [N/A], [N/A]${', [N/A]'.repeat(8)}`,
    );
    expect(device).toMatchObject({
      utilisation: null,
      powerWatts: null,
      temperatureCelsius: null,
      faults: [],
    });
    expect(device?.memoryMb).toBeGreaterThan(0);
  });

  it.each([
    [`0, ${uuid(0)}, NVIDIA H200, 143771, 143153, 0, ERR!, 41, 0, ${well}`, 'ERR! as power.draw'],
    [
      `0, ${uuid(0)}, NVIDIA H200, 143771, 0, [Unknown Error], 70, 41, 0, ${well}`,
      '[Unknown Error] as utilization.gpu',
    ],
    [errors(well, 2), '2 uncorrected memory error(s)'],
    [errors('0, 4, [N/A], [N/A], 3, No, Yes, None'), 'no spare memory row left'],
    [errors('0, 1, [N/A], [N/A], 1, Yes, No, Reset'), 'the driver asks for "Reset"'],
    [errors('0, 0, [N/A], [N/A], 0, No, No, Drain and Reset'), 'the driver asks for "Drain and Reset"'],
    [errors('0, 0, [N/A], [N/A], 0, No, No, [GPU requires reset]'), 'requires reset'],
  ])('reports the fault in %s', (text, fault) => {
    const device = parseGpuLine(text);
    expect(device?.faults).toEqual([expect.stringContaining(fault)]);
    expect(deviceSchema.safeParse(device).success).toBe(true);
  });

  it('reports a pending repair, which does not rule the GPU out', () => {
    const rows = parseGpuLine(errors('17, 2, [N/A], [N/A], 1, Yes, No, None'));
    expect(rows).toMatchObject({
      errors: {
        corrected: 17,
        uncorrectedEver: 2,
        remappedRows: 1,
        repairPending: true,
        repairFailed: false,
      },
      faults: [],
    });
    const pages = parseGpuLine(errors('0, 1, 1, Yes, [N/A], [N/A], [N/A], [N/A]'));
    expect(pages).toMatchObject({
      errors: { retiredPages: 1, repairPending: true, repairFailed: null, recoveryAction: null },
      faults: [],
    });
    expect(deviceSchema.parse(pages)).toEqual(pages);
  });

  it.each([
    '',
    'Unable to determine the device handle for GPU0000:1B:00.0: Unknown Error',
    'No devices were found',
    `-1, ${uuid(0)}, x, 1, 1, 1, 1, 1, 1`,
    'index, uuid, name, memory.total [MiB], memory.free [MiB], utilization.gpu [%], power.draw [W], temperature.gpu, ecc',
    `0, ${uuid(0)}, NVIDIA H200, 143771`,
  ])('reads no device from %j', (text) => {
    expect(parseGpuLine(text)).toBeUndefined();
  });
});

describe('openDevices', () => {
  it('offers CPU slots if there is no nvidia-smi, dividing cores and memory', async () => {
    process.env['PATH'] = join(folder, 'nowhere');
    vi.stubEnv('OMP_NUM_THREADS', undefined);
    open = await openDevices(workerOptions.parse({ key: 'x', slots: 2 }), quiet);
    const devices = open.list();
    expect(devices.map(({ id }) => id)).toEqual(['cpu-0', 'cpu-1']);
    expect(devices[0]?.threads).toBe(Math.max(1, Math.floor(availableParallelism() / 2)));
    vi.stubEnv('OMP_NUM_THREADS', '6');
    expect(open.list().map(({ threads }) => threads)).toEqual([3, 3]);
    const [whole] = listSlots(1);
    expect(Math.abs((devices[0]?.memoryMb ?? 0) - (whole?.memoryMb ?? 0) / 2)).toBeLessThanOrEqual(1);
  });

  it('offers eight GPUs, and no slots by default', async () => {
    const devices = await withProgram(`echo "$@" > ${folder}/words\nwhile :; do\n${eight}\nsleep 0.1; done`);
    expect(devices.list().map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(readFileSync(join(folder, 'words'), 'utf8')).toContain('--format=csv,noheader,nounits -lms=100');
  });

  it.each([
    ['2,0', [0, 2]],
    [` ${uuid(5)},GPU-5f1c7a2e-0b1d-4c3e-9a8f-000000000003 `, [3, 5]],
    ['GPU-5f1c7a2e', [0, 1, 2, 3, 4, 5, 6, 7]],
    ['', []],
    ['-1', []],
    ['MIG-5f1c7a2e-0b1d-4c3e-9a8f-000000000003', []],
  ])('offers only GPUs that CUDA_VISIBLE_DEVICES lists, in %j', async (visible, given) => {
    vi.stubEnv('CUDA_VISIBLE_DEVICES', visible);
    const devices = await withProgram(`while :; do\n${eight}\nsleep 0.1; done`);
    const kinds = given.length === 0 ? ['cpu'] : given.map(() => 'gpu');
    expect(devices.list().map(({ kind }) => kind)).toEqual(kinds);
    if (given.length > 0) expect(devices.list().map(({ index }) => index)).toEqual(given);
  });

  it('queries an older driver without the columns that it does not know', async () => {
    const calls = join(folder, 'calls');
    const refuse = (field: string): string =>
      `case "$1" in *${field}*) echo 'Field "${field}" is not a valid field to query.'; echo; exit 2;; esac`;
    const old = `${uuid(0)}, Tesla V100-SXM2-32GB, 32768, 32510, 0, 41.20, 35, 0, 0, 1, 1, No`;
    const devices = await withProgram(
      [
        `echo "$1" >> ${calls}`,
        ...['remapped_rows.uncorrectable', 'remapped_rows.pending', 'remapped_rows.failure'].map(refuse),
        `case "$1" in *gpu_recovery_action*) echo 'Field "gpu_recovery_action" is not a valid field to query.' >&2; exit 2;; esac`,
        `while :; do echo '0, ${old}'; sleep 0.1; done`,
      ].join('\n'),
    );
    expect(devices.list()).toMatchObject([
      { name: 'Tesla V100-SXM2-32GB', faults: [], errors: { retiredPages: 1, remappedRows: null } },
    ]);
    expect(readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(5);
  });

  it('recovers when nvidia-smi dies or prints unexpected output', async () => {
    const counter = join(folder, 'starts');
    const devices = await withProgram(
      `echo x >> ${counter}\necho 'Unknown Error'\n${eight}\n${eight}\nexit 15`,
    );
    expect(devices.list()).toHaveLength(8);
    await waitFor('two samples are taken', () => readFileSync(counter, 'utf8').length >= 4);
    expect(devices.list()).toHaveLength(8);
  });

  it('is not blocked by an nvidia-smi that hangs', async () => {
    const start = Date.now();
    const devices = await withProgram('exec sleep 60');
    expect(Date.now() - start).toBeLessThan(8000);
    expect(devices.list().map(({ kind }) => kind)).toEqual(['cpu']);
  });

  it('keeps a GPU that is no longer reported, with a fault', async () => {
    const once = `echo '${line(0)}'\necho '${line(1)}'\n`;
    const devices = await withProgram(`${once}while :; do echo '${line(0)}'; sleep 0.1; done`);
    await waitFor('a fault is reported', () => (devices.list()[1]?.faults.length ?? 0) > 0);
    expect(devices.list().map(({ faults }) => faults.length)).toEqual([0, 1]);
    expect(devices.list()[1]?.faults[0]).toMatch(/not reported by nvidia-smi for \d+ s/);
  }, 20_000);
});
