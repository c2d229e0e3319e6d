import { startWatchdog } from '@espalier/plugin-host';

/** Names a hook on standard error that has not returned for this long. */
export function watchCalls(limitMs: number): void {
  startWatchdog(undefined, limitMs);
}
