import { rmSync } from 'node:fs';

/** Removes a folder, if there is one; what a process that is ending still writes into it is waited out for some seconds. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
}
