/** @file Parses a line of `nvidia-smi --query-gpu=… --format=csv,noheader,nounits` as a device. */
import { totalmem } from 'node:os';
import type { Device, DeviceErrors } from '@espalier/protocol';
import { type GpuColumn, gpuColumns } from './gpu-columns.js';

/** Undefined for values that the driver does not report: `[N/A]`, `[Not Supported]`, `ERR!`. */
function numberOf(text: string | undefined): number | undefined {
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Parses `Yes` and `No`, or 1 and 0 from some drivers. */
function flagOf(text: string | undefined): boolean | undefined {
  if (/^(yes|no)$/i.test(text ?? '')) return /yes/i.test(text ?? '');
  const number = numberOf(text);
  return number === undefined ? undefined : number > 0;
}

/** Whether a value reports a fault, as opposed to an unsupported column. */
const isBroken = (text: string): boolean => /err!|unknown error|requires reset|gpu is lost/i.test(text);

/**
 * Parses a line; undefined for other output, such as a message of the driver.
 *
 * @param columns the queried columns, in order
 */
export function parseGpuLine(line: string, columns: readonly GpuColumn[] = gpuColumns): Device | undefined {
  const fields = line.split(',').map((field) => field.trim());
  const read = (column: GpuColumn): string | undefined => fields[columns.indexOf(column)];
  const [number, uuid = '', name = ''] = [numberOf(read('index')), read('uuid'), read('name')];
  if (fields.length !== columns.length || number === undefined) return undefined;
  if (!Number.isInteger(number) || number < 0 || !/^(GPU|MIG)-[\w-]+$/.test(uuid)) return undefined;
  const broken = fields.flatMap((text, column) =>
    isBroken(text) ? [`nvidia-smi reports ${text.slice(0, 100)} as ${columns[column] ?? ''}`] : [],
  );
  const errors = readErrors(read);
  // a GPU that shares the memory of the CPU reports no total
  const memoryMb = Math.max(0, Math.floor(numberOf(read('memory.total')) ?? totalmem() / 1024 / 1024));
  const share = numberOf(read('utilization.gpu'));
  const watts = numberOf(read('power.draw'));
  return {
    id: uuid,
    kind: 'gpu',
    index: number,
    name: name.slice(0, 200),
    threads: 0,
    memoryMb,
    freeMemoryMb: Math.max(0, Math.min(memoryMb, Math.floor(numberOf(read('memory.free')) ?? memoryMb))),
    utilisation: share === undefined ? null : Math.min(1, Math.max(0, share / 100)),
    powerWatts: watts === undefined || watts < 0 ? null : watts,
    temperatureCelsius: numberOf(read('temperature.gpu')) ?? null,
    errors,
    faults: [...broken, ...faultsOf(errors)].slice(0, 30),
  };
}

function readErrors(read: (column: GpuColumn) => string | undefined): DeviceErrors {
  const count = (column: GpuColumn): number | null => {
    const value = numberOf(read(column));
    return value === undefined || value < 0 ? null : value;
  };
  const pending = [flagOf(read('retired_pages.pending')), flagOf(read('remapped_rows.pending'))];
  const action = read('gpu_recovery_action') ?? '';
  return {
    corrected: count('ecc.errors.corrected.volatile.total'),
    uncorrected: count('ecc.errors.uncorrected.volatile.total'),
    uncorrectedEver: count('ecc.errors.uncorrected.aggregate.total'),
    retiredPages: count('retired_pages.double_bit.count'),
    remappedRows: count('remapped_rows.uncorrectable'),
    repairPending:
      pending.find((flag) => flag === true) ?? pending.find((flag) => flag !== undefined) ?? null,
    repairFailed: flagOf(read('remapped_rows.failure')) ?? null,
    recoveryAction: /^[a-z][\w -]{0,59}$/i.test(action) && !isBroken(action) ? action : null,
  };
}

/** Lists the errors that rule a GPU out. A pending repair does not: the driver avoids the affected memory. */
function faultsOf({ uncorrected, repairFailed, recoveryAction }: DeviceErrors): string[] {
  const faults: string[] = [];
  if (uncorrected !== null && uncorrected > 0)
    faults.push(`${uncorrected} uncorrected memory error(s) since the driver was loaded`);
  if (repairFailed === true) faults.push('no spare memory row left; replace the GPU');
  if (recoveryAction !== null && recoveryAction.toLowerCase() !== 'none')
    faults.push(`a fault (XID) after which the driver asks for "${recoveryAction}"`);
  return faults;
}
