/** @file A disk that can be full: a file system in memory, shrunk to what is used and given its size back. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const roomMb = 768;

export interface SmallDisk {
  /** Leaves no room. */
  fill(): void;
  /** Gives the room back. */
  empty(): void;
  unmount(): void;
}

const mount = (...words: string[]): void => void execFileSync('mount', words, { stdio: 'pipe' });

/** Mounts a disk at a folder. @returns undefined where this user may not mount */
export function mountSmallDisk(folder: string): SmallDisk | undefined {
  mkdirSync(folder, { recursive: true });
  try {
    mount('-t', 'tmpfs', '-o', `size=${roomMb}m,mode=0777`, 'tmpfs', folder);
  } catch {
    return undefined;
  }
  const resize = (size: string): void => mount('-o', `remount,size=${size}`, folder);
  return {
    fill() {
      for (let tries = 0; tries < 50 && hasRoom(folder); tries += 1) {
        const { bsize, blocks, bfree } = statfsSync(folder);
        // what is written between reading and shrinking makes the system refuse; then again
        try {
          resize(String((blocks - bfree) * bsize));
        } catch {
          continue;
        }
      }
      if (hasRoom(folder)) throw new Error(`fill the disk at ${folder}: there is still room`);
    },
    empty: () => resize(`${roomMb}m`),
    unmount: () => void execFileSync('umount', ['-l', folder], { stdio: 'pipe' }),
  };
}

function hasRoom(folder: string): boolean {
  const probe = join(folder, '.probe');
  try {
    writeFileSync(probe, Buffer.alloc(8192));
    return true;
  } catch {
    return false;
  } finally {
    try {
      unlinkSync(probe);
    } catch {
      // It was never made.
    }
  }
}
