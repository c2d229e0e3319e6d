import { isRecord } from '@espalier/contracts/values';
import { createHash } from 'node:crypto';

/** Serializes a value as JSON with sorted keys and no spaces, so that equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((entry) => canonicalJson(entry ?? null)).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${entries.join(',')}}`;
}

/** The sha256 (hex) of the canonical JSON of a spec; the order of tags counts, since groups are numbered in it. */
export function specHash(spec: unknown): string {
  const tags = isRecord(spec) && isRecord(spec['environments']) ? Object.keys(spec['environments']) : [];
  const order = tags.length > 1 ? tags.join(' ') : '';
  return createHash('sha256').update(canonicalJson(spec)).update(order).digest('hex');
}
