/** @file Plain values: what is a record, and typed arrays as text. */

/** Whether a value is an object and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The bytes of an array as text. */
export function toBase64({
  buffer,
  byteOffset,
  byteLength,
}: Int32Array | Float32Array | Float64Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** The bytes of a text in a buffer of their own, so that a typed array can lie over them. */
export function fromBase64(text: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(text, 'base64')).buffer;
}
