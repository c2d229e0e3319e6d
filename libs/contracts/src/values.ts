/** @file Plain values: what is a record, typed arrays as text, the threads and the memory that this process may use. */
import { availableParallelism, cpus, totalmem } from 'node:os';

/** Whether a value is an object and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is an integer from 0 on that a number holds exactly. */
export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

/** Serializes a value as JSON with sorted keys and no spaces, so that equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((entry) => canonicalJson(entry ?? null)).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${entries.join(',')}}`;
}

/** The bytes of an array as text. */
export function toBase64({
  buffer,
  byteOffset,
  byteLength,
}: Int32Array | Float32Array | Float64Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** The bytes of a text in a buffer of their own, so that a typed array can lie over them. */
export function fromBase64(text: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(text, 'base64')).buffer;
}

/**
 * The number of threads that `OMP_NUM_THREADS` asks for, the variable by which numeric libraries and schedulers agree on
 * it; undefined where it is unset or not a number, so that all cores are used. A list counts by its first number.
 */
export function requestedThreads(
  environment: Readonly<Record<string, string | undefined>>,
): number | undefined {
  const [first = ''] = (environment['OMP_NUM_THREADS'] ?? '').split(',');
  const threads = /^\s*\d+\s*$/.test(first) ? Number(first) : 0;
  return threads >= 1 ? Math.min(threads, 256) : undefined;
}

/** Threads that this process may compute with: those of OMP_NUM_THREADS, else one for each core that it may run on. */
export const usableThreads = (): number => requestedThreads(process.env) ?? availableParallelism();

/**
 * Threads to start where none are asked for: those of OMP_NUM_THREADS, or one for each processor where this process may not
 * run on all, because libraries count those of the whole machine; undefined: the library chooses, one for each core.
 */
export function startedThreads(): number | undefined {
  const available = availableParallelism();
  return requestedThreads(process.env) ?? (available < cpus().length ? available : undefined);
}

/** Bytes of memory of this machine, or of the container that this process runs in. */
export function machineBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** Bytes of it that are free. */
export const freeMachineBytes = (): number => Math.min(process.availableMemory(), machineBytes());
