/** @file One line of `nvidia-smi --query-gpu=… --format=csv,noheader,nounits` as a device. */
import { totalmem } from 'node:os';
import type { Device } from '@espalier/protocol';

/** What is asked for, in the order of the columns. */
export const gpuColumns = [
  ...['index', 'uuid', 'name', 'memory.total', 'memory.free', 'utilization.gpu', 'power.draw'],
  ...['temperature.gpu', 'ecc.errors.uncorrected.volatile.total'],
] as const;

/** Undefined for what the driver does not tell: `[N/A]`, `[Not Supported]`, `ERR!`. */
function numberOf(text: string | undefined): number | undefined {
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Words in the place of a number that mean that something is broken, not that it does not exist. */
const isBroken = (text: string): boolean => /err!|unknown error|requires reset|gpu is lost/i.test(text);

/** Parses a line; undefined for what is none, such as a message of the driver. */
export function parseGpuLine(line: string): Device | undefined {
  const fields = line.split(',').map((field) => field.trim());
  const [index, uuid = '', name = '', total, free, utilisation, power, temperature, errors] = fields;
  const number = numberOf(index);
  if (fields.length !== gpuColumns.length || number === undefined) return undefined;
  if (!Number.isInteger(number) || number < 0 || !/^(GPU|MIG)-[\w-]+$/.test(uuid)) return undefined;
  const faults = fields.flatMap((text, column) =>
    isBroken(text) ? [`nvidia-smi reports ${text} as ${gpuColumns[column] ?? ''}`] : [],
  );
  const uncorrected = numberOf(errors) ?? 0;
  if (uncorrected > 0) faults.push(`${uncorrected} uncorrected memory error(s) since the driver was loaded`);
  // with memory shared between processor and GPU there is no number of its own
  const memoryMb = Math.max(0, numberOf(total) ?? Math.floor(totalmem() / 1024 / 1024));
  const share = numberOf(utilisation);
  const watts = numberOf(power);
  return {
    ...{ id: uuid, kind: 'gpu', index: number, name: name.slice(0, 200), threads: 0, memoryMb },
    freeMemoryMb: Math.max(0, Math.min(memoryMb, numberOf(free) ?? memoryMb)),
    utilisation: share === undefined ? null : Math.min(1, Math.max(0, share / 100)),
    powerWatts: watts === undefined || watts < 0 ? null : watts,
    temperatureCelsius: numberOf(temperature) ?? null,
    faults: faults.slice(0, 30),
  };
}
