/** @file Reads the header of a safetensors file of a hub, which names its tensors, without downloading the file. */
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '@espalier/contracts';
import { askForFile, type FileSource } from './download-file.js';
import { readFirstBytes, unreachable } from './hub-requests.js';
import type { HubFile } from './needed-files.js';

/** What a file with weights begins with. */
export interface WeightsHead {
  readonly name: string;
  /** of the whole file */
  readonly bytes: number;
  /** the length of the header, and the header */
  readonly head: Uint8Array;
}

/** The limit of the reference implementation of safetensors. */
const maxHeaderBytes = 100_000_000;

/** Reads what a file with weights begins with. @throws hub.* */
export async function readWeightsHead(file: HubFile, source: FileSource): Promise<WeightsHead> {
  const { name, bytes } = file;
  const length = await readStart(file, Math.min(8, bytes), source);
  const headerBytes = length.length < 8 ? 0 : Number(Buffer.from(length).readBigUInt64LE());
  if (headerBytes > maxHeaderBytes || headerBytes + 8 > bytes) return { name, bytes, head: length };
  return { name, bytes, head: await readStart(file, 8 + headerBytes, source) };
}

/** Reads the first bytes of a file, also of a server that sends all of it; a connection that breaks is tried again. */
async function readStart(file: HubFile, count: number, source: FileSource): Promise<Uint8Array> {
  const { what, retries, signal, onNote } = source;
  if (count === 0) return new Uint8Array();
  for (let tries = 1; ; tries++) {
    const response = await askForFile(file, `bytes=0-${count - 1}`, source);
    try {
      const bytes = await readFirstBytes(what, response, count, retries.idleMs, signal);
      if (bytes.length === count) return bytes;
      throw new AppError('hub.offline', `${what}: ${file.name} broke off`);
    } catch (cause) {
      signal.throwIfAborted();
      if (tries >= retries.tries) throw unreachable(what, cause);
      onNote(`${what}: the header of ${file.name} broke off; trying again`);
    }
    await wait(retries.delayMs * 2 ** (tries - 1), undefined, { signal });
  }
}
