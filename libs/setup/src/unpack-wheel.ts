/** @file Unpacks the needed members of a wheel; the others are passed over. */
import { closeSync, createReadStream, openSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { writeAll } from '@espalier/files';
import { Unzip, UnzipInflate } from 'fflate';

/**
 * Unpacks members into a folder, under their last names.
 *
 * @param members by the end of their path
 * @throws setup.wrong_file when one is missing
 */
export async function unpackWheel(wheel: string, members: readonly string[], folder: string): Promise<void> {
  const missing = new Set(members);
  const open = new Set<number>();
  let failure: Error | undefined;
  const unzip = new Unzip((file) => {
    const member = members.find((name) => file.name === name || file.name.endsWith(`/${name}`));
    if (member === undefined) return;
    const to = openSync(join(folder, basename(member)), 'w', 0o755);
    open.add(to);
    file.ondata = (error, data, isLast) => {
      if (error !== null) failure ??= error;
      else writeAll(to, data);
      if (error === null && !isLast) return;
      closeSync(to);
      open.delete(to);
      missing.delete(member);
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  try {
    for await (const chunk of createReadStream(wheel, { highWaterMark: 1 << 20 })) {
      unzip.push(chunk as Buffer);
      if (failure !== undefined) throw failure;
    }
    unzip.push(new Uint8Array(0), true);
  } catch (cause) {
    throw wrong(wheel, `it is no zip file: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  } finally {
    for (const file of open) closeSync(file);
  }
  if (missing.size > 0) throw wrong(wheel, `it lacks ${[...missing].join(', ')}`);
}

const wrong = (wheel: string, finding: string, cause?: unknown): AppError =>
  new AppError('setup.wrong_file', `unpack ${wheel}: ${finding}; fetch the file again`, { cause });
