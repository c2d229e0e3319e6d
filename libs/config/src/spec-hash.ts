import { canonicalJson, isRecord } from '@espalier/contracts/values';
import { createHash } from 'node:crypto';

/** The sha256 (hex) of the canonical JSON of a spec; the order of tags counts, since groups are numbered in it. */
export function specHash(spec: unknown): string {
  const tags = isRecord(spec) && isRecord(spec['environments']) ? Object.keys(spec['environments']) : [];
  const order = tags.length > 1 ? tags.join(' ') : '';
  return createHash('sha256').update(canonicalJson(spec)).update(order).digest('hex');
}
