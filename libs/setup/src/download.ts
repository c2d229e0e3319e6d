/** @file Downloads the wheels of a library, one after another, with the time that is left for all of them. */
import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { writeAll } from '@espalier/files';
import type { PinnedWheel } from '@espalier/runtime';
import { wrongHash } from './check-file.js';
import type { WheelSource } from './choose-sources.js';
import type { PipSettings } from './pip-settings.js';
import { printAddress, request, TemporaryFailure } from './requests.js';
import { fullDisk } from './room.js';

export interface DownloadProgress {
  readonly kind: 'download';
  readonly file: string;
  readonly bytes: number;
  readonly ofBytes: number;
  /** of all files that are downloaded */
  readonly totalBytes: number;
  readonly ofTotalBytes: number;
  /** at the mean rate so far; undefined in the first second */
  readonly secondsLeft?: number;
}

interface DownloadOptions {
  readonly operation: string;
  readonly work: string;
  readonly settings: PipSettings;
  readonly signal: AbortSignal;
  readonly report?: (progress: DownloadProgress) => void;
}

type Download = (address: string, wheel: PinnedWheel) => Promise<string>;

/** A function that downloads one of the sources and returns its checked file. */
export function createDownloads(
  sources: readonly WheelSource[],
  { operation, work, settings, signal, report }: DownloadOptions,
): Download {
  const ofTotalBytes = sources.reduce(
    (sum, { from, wheel }) => sum + ('address' in from ? wheel.bytes : 0),
    0,
  );
  const { certificate } = settings;
  let before = 0;
  let spentMs = 0;
  return async (address, wheel) => {
    const [[name, expected] = ['', '']] = Object.entries(wheel.files);
    const file = join(work, name);
    await request(address, { operation, certificate, signal }, async (answer) => {
      const hash = createHash('sha256');
      const to = openSync(file, 'w');
      let bytes = 0;
      const begin = performance.now();
      const progress = (): DownloadProgress => {
        const [done, ms] = [before + bytes, spentMs + performance.now() - begin];
        const left = ms < 1000 ? undefined : Math.ceil(((ofTotalBytes - done) * ms) / done / 1000);
        return {
          kind: 'download',
          file: name,
          bytes,
          ofBytes: wheel.bytes,
          totalBytes: done,
          ofTotalBytes,
          ...(left === undefined ? {} : { secondsLeft: left }),
        };
      };
      try {
        for await (const chunk of answer) {
          hash.update(chunk as Buffer);
          writeAll(to, chunk as Buffer);
          bytes += (chunk as Buffer).length;
          report?.(progress());
        }
      } catch (cause) {
        throw fullDisk(operation, cause) ?? cause;
      } finally {
        closeSync(to);
      }
      if (bytes < Number(answer.headers['content-length'] ?? bytes))
        throw new TemporaryFailure('it broke off');
      const found = hash.digest('hex');
      if (found !== expected) throw wrongHash(operation, printAddress(address), found, [expected]);
      before += bytes;
      spentMs += performance.now() - begin;
    });
    return file;
  };
}
