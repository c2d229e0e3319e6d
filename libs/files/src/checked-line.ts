/**
 * @file Lines of JSON with a checksum: the last member, `crc`, is the CRC-32 of the text without it. Any JSON reader can
 * read such a line; this one detects corruption.
 */
import { existsSync, readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const crcOf = (text: string): string => crc32(text).toString(16).padStart(8, '0');

/** Encodes an object with at least one member as a line, including the newline. */
export function encodeCheckedLine(value: object): string {
  const text = JSON.stringify(value);
  return `${text.slice(0, -1)},"crc":"${crcOf(text)}"}\n`;
}

/** Decodes a line without its newline; undefined when it is corrupt or has no checksum. */
export function decodeCheckedLine(line: string): unknown {
  const match = /^(.+),"crc":"([0-9a-f]{8})"\}$/.exec(line);
  const text = `${match?.[1] ?? ''}}`;
  return match?.[2] === crcOf(text) ? (JSON.parse(text) as unknown) : undefined;
}

/** Lists the lines of a file that end in a newline; the rest is an incomplete write. */
export function completeLines(path: string): string[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  lines.pop();
  return lines;
}
