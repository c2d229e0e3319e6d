/** @file What can compute on this machine, how fast, and what is missing for more; for `espalier doctor`. */
import { cpus } from 'node:os';
import { usableThreads } from '@espalier/contracts/values';
import type { DriverName, Precision } from '@espalier/runtime';
import { formatBytes } from '../view/numbers.js';
import { askProbe } from './ask-probe.js';

export interface DriverCheck {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'absent' | 'failed';
  /** what was found, and after a semicolon what to do */
  readonly finding: string;
  /** float32 matrix products of 1024³ that were measured, GFLOP/s by precision */
  readonly gigaflops?: Readonly<Partial<Record<Precision, number>>>;
}

/**
 * The processor, the GPUs, WebGPU, and every driver with its measured rate, each in a process of its own. Only the default driver
 * must be there.
 */
export async function checkDrivers(names: readonly DriverName[]): Promise<DriverCheck[]> {
  const checks: DriverCheck[] = [
    {
      name: 'processor',
      state: 'ok',
      finding: `${cpus()[0]?.model ?? 'unknown'}, ${usableThreads()} threads`,
    },
    ...(await checkCuda()),
    await checkWebgpu(),
  ];
  // one after the other: rates that are measured side by side are none
  for (const name of names) checks.push(await checkDriver(name));
  return adviseOnBf16(checks);
}

/** Least gain in matrix products that makes bf16 worth choosing; a step has other work, which stays in float32. */
const leastGain = 1.15;

/** Says of a driver whose bf16 is no faster than the default driver's float32 that it is not worth choosing here. */
export function adviseOnBf16(checks: readonly DriverCheck[]): DriverCheck[] {
  const usual = checks.find(({ name }) => name === 'driver onnxruntime-node')?.gigaflops?.float32;
  return checks.map((check) => {
    const bf16 = check.gigaflops?.bf16;
    if (usual === undefined || bf16 === undefined || bf16 >= leastGain * usual) return check;
    const advice = `bf16 gains nothing on this processor (float32 by onnxruntime-node: ${usual} GFLOP/s); leave device.precision at float32`;
    return { ...check, finding: `${check.finding}; ${advice}` };
  });
}

/** The NVIDIA driver, its devices, and the files that `espalier setup cuda` fetches. */
async function checkCuda(): Promise<DriverCheck[]> {
  const probed = await askProbe('cuda');
  if ('finding' in probed) return [{ name: 'cuda', state: 'warning', finding: probed.finding }];
  const { files, driver, devices } = probed.answer;
  const state = { ready: 'ok', absent: 'absent', broken: 'warning' } as const;
  return [
    { name: 'cuda driver', state: state[driver.state], finding: driver.finding },
    ...devices.map(({ name, bytes, computeCapability, isUsable }, index): DriverCheck => ({
      name: `gpu ${index}`,
      state: isUsable ? 'ok' : 'absent',
      finding: `${name}, ${formatBytes(bytes)}, compute capability ${computeCapability.toFixed(1)}${isUsable ? '' : '; CUDA 13 needs 7.5 or newer'}`,
    })),
    { name: 'cuda files', state: state[files.state], finding: files.finding },
  ];
}

/** Whether a GPU answers, or a driver in software: the first session tells. */
async function checkWebgpu(): Promise<DriverCheck> {
  const probed = await askProbe('product', { driver: 'native', provider: 'webgpu' });
  const name = 'webgpu';
  if ('answer' in probed) return { name, state: 'ok', finding: 'computes' };
  const { code, finding } = probed;
  return { name, state: code === 'runtime.provider_unavailable' ? 'absent' : 'warning', finding };
}

async function checkDriver(driver: DriverName): Promise<DriverCheck> {
  const name = `driver ${driver}`;
  const probed = await askProbe('rates', { driver });
  if ('finding' in probed) {
    const state = driver === 'onnxruntime-node' ? 'failed' : 'warning';
    return { name, state, finding: probed.finding };
  }
  const { report, gigaflops } = probed.answer;
  if (!report.isAvailable) return { name, state: 'absent', finding: report.finding };
  const rates = Object.entries(gigaflops).map(([precision, rate]) => `${precision} ${rate} GFLOP/s`);
  return { name, state: 'ok', finding: `${report.finding}; ${rates.join(', ')}`, gigaflops };
}
