/** @file What the processor can compute in, as Linux tells. */
import { readFileSync } from 'node:fs';
import { AppError } from '@espalier/contracts';

/** Instructions for products in bf16, from the faster to the slower. */
const bf16Flags = ['amx_bf16', 'avx512_bf16'] as const;

/** The instructions for bf16 that a processor has, of the text of /proc/cpuinfo; undefined: none. */
export function findBf16(cpuinfo: string): (typeof bf16Flags)[number] | undefined {
  const [, line = ''] = /^flags\s*:(.*)$/m.exec(cpuinfo) ?? [];
  const flags = new Set(line.trim().split(/\s+/));
  return bf16Flags.find((flag) => flags.has(flag));
}

/** The text of /proc/cpuinfo; empty where there is none. */
export function readCpuinfo(): string {
  try {
    return readFileSync('/proc/cpuinfo', 'utf8');
  } catch {
    return '';
  }
}

/** @throws runtime.unsupported_precision for a processor that would only emulate bf16 */
export function requireBf16(cpuinfo: string = readCpuinfo()): void {
  if (findBf16(cpuinfo) !== undefined) return;
  throw new AppError(
    'runtime.unsupported_precision',
    `compute in bf16: this processor has neither ${bf16Flags.join(' nor ')} instructions, so bf16 would be slower than float32; choose device.precision float32`,
    { details: { precision: 'bf16' } },
  );
}
