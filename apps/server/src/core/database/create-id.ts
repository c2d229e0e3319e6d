import { randomBytes } from 'node:crypto';

const digits = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Creates an id such as `run-01jd3x4e7k-8w2n5t0qzv`: a prefix, the time in ms (10 digits, so that ids sort by age) and
 * 50 random bits.
 */
export function createId(prefix: string, now: number = Date.now()): string {
  let time = '';
  for (let left = now, i = 0; i < 10; i++, left = Math.floor(left / 32)) time = digits[left % 32] + time;
  const random = [...randomBytes(10)].map((byte) => digits[byte % 32]).join('');
  return `${prefix}-${time}-${random}`;
}
