/** @file Whether the disk has room for the checkpoints of a run, found before anything is trained. */
import { AppError } from '@espalier/contracts';
import { countCheckpoints } from '@espalier/trainer';
import { formatBytes } from '../view/numbers.js';

/**
 * Refuses a run whose checkpoints do not fit.
 *
 * @param saved checkpoints that an earlier start left on the disk
 * @throws trainer.disk_full
 */
export function requireCheckpointSpace(
  spec: Parameters<typeof countCheckpoints>[0],
  checkpointBytes: number,
  {
    folder,
    freeBytes,
    saved,
  }: { readonly folder: string; readonly freeBytes: number; readonly saved: number },
): void {
  const count = Math.max(0, countCheckpoints(spec) - saved);
  const needed = count * checkpointBytes;
  if (needed <= freeBytes) return;
  const keep = spec.checkpoint.keep > 1 ? 'lower checkpoint.keep, ' : '';
  throw new AppError(
    'trainer.disk_full',
    `start run in "${folder}": its checkpoints need about ${formatBytes(needed)} (${count} of ${formatBytes(checkpointBytes)}), the disk has ${formatBytes(freeBytes)} free; ${keep}free space, or choose a folder on another disk with --out`,
    { details: { neededBytes: needed, freeBytes, checkpoints: count } },
  );
}
