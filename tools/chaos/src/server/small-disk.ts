/** @file A disk that can be filled: an in-memory file system, shrunk to its used size and restored. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const roomMb = 768;

export interface SmallDisk {
  /** Fills the disk. */
  fill(): void;
  /** Restores the free space. */
  empty(): void;
  unmount(): void;
}

const mount = (...words: string[]): void => void execFileSync('mount', words, { stdio: 'pipe' });

/** Mounts a disk at a folder. @returns undefined when this user may not mount */
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
        // fails when something was written in between; try again
        try {
          resize(String((blocks - bfree) * bsize));
        } catch {
          continue;
        }
      }
      if (hasRoom(folder)) throw new Error(`fill the disk at ${folder}: there is still free space`);
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
      // it was never created
    }
  }
}
