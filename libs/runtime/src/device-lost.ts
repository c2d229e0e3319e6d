/** @file How the libraries report that a GPU, or what connects a process to it, is gone, and what to do then. */
import { AppError } from '@espalier/contracts';

/**
 * Errors of CUDA after which nothing works until the process starts again: devices unavailable or absent, memory errors of the
 * hardware, and kernels that were ended, after which the process has no context on the device any more.
 */
const lostStatuses: readonly number[] = [46, 100, 214, 220, 700, 702, 714, 719, 721, 999];

/** Tells whether a status of CUDA means that the device is lost. */
export const isLostStatus = (status: unknown): boolean => lostStatuses.includes(Number(status));

/** Tells whether a message of ONNX Runtime means that the device is lost: by CUDA's status, or in WebGPU's words. */
export function tellsOfLostDevice(message: string): boolean {
  const [, status] = /\bCUDA(?: error| failure)? (\d+)\b/i.exec(message) ?? [];
  return isLostStatus(status) || /\bdevice (?:was |is )?lost\b/i.test(message);
}

/** The error of a lost device. */
export const deviceLost = (finding: string, cause?: unknown): AppError =>
  new AppError(
    'runtime.device_lost',
    `${finding}; the GPU does not answer this process any more: look for its errors (nvidia-smi, and Xid in the kernel's log), then resume from the last checkpoint`,
    { cause },
  );
