/**
 * @file Checks that a write-ahead log still has every commit. SQLite reads the log up to the first corrupt frame and ignores
 * the rest, so a log that lost its end would open without an error. Its index (`-shm`) outlives a killed process and has
 * the number of committed frames. After a restart of the machine the index may be older than the log, never newer,
 * because every commit is synced before it is written to the index.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { endianness } from 'node:os';

/** Larger logs are not checked; one is moved into the database long before. */
const mostBytes = 256 * 1024 * 1024;
const logHeaderBytes = 32;
const frameHeaderBytes = 24;
const indexHeaderBytes = 48;

/** The log according to its index. */
interface CommittedFrames {
  readonly frames: number;
  /** of these, already moved into the database */
  readonly moved: number;
  readonly pageBytes: number;
  /** of the log, as it writes it */
  readonly salt: Buffer;
}

/**
 * Finds out what a log has lost; call before the database is opened.
 *
 * @returns a sentence, or undefined if nothing is missing or it cannot be known
 */
export function findLostCommits(file: string): string | undefined {
  const log = `${file}-wal`;
  const index = `${file}-shm`;
  if (!existsSync(index)) return undefined;
  const committed = readIndex(readFileSync(index));
  if (committed === undefined || committed.frames === 0) return undefined;
  const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > mostBytes) return undefined;
  if (bytes === 0)
    return committed.moved >= committed.frames ? undefined : describe(log, committed.frames, 0, index);
  const content = readFileSync(log);
  if (hasNewerSalt(content, committed)) return undefined;
  const intact = countIntactFrames(content, committed);
  return intact >= committed.frames ? undefined : describe(log, committed.frames, intact, index);
}

function describe(log: string, frames: number, intact: number, index: string): string {
  return `its write-ahead log "${log}" has ${intact} of ${frames} committed frames, so the last commits are lost (to open it without them, remove "${index}")`;
}

/** Reads the header of the index, which has two equal copies. */
function readIndex(index: Buffer): CommittedFrames | undefined {
  const first = index.subarray(0, indexHeaderBytes);
  if (index.length < 100 || !first.equals(index.subarray(indexHeaderBytes, 2 * indexHeaderBytes)))
    return undefined;
  const isInitialized = first[12] === 1;
  const size = endianness() === 'LE' ? first.readUInt16LE(14) : first.readUInt16BE(14);
  const read = (at: number): number =>
    endianness() === 'LE' ? index.readUInt32LE(at) : index.readUInt32BE(at);
  if (!isInitialized) return undefined;
  return {
    frames: read(16),
    moved: read(96),
    pageBytes: (size & 0xfe00) + ((size & 1) << 16),
    salt: first.subarray(32, 40),
  };
}

/** Returns whether the log was restarted after the index was written: the first half of its salt counts up. */
function hasNewerSalt(log: Buffer, { salt }: CommittedFrames): boolean {
  if (log.length < logHeaderBytes || !isHeaderIntact(log)) return false;
  return ((log.readUInt32BE(16) - salt.readUInt32BE(0)) | 0) > 0;
}

/** Checksums are of big-endian words if the magic number is odd. */
const wordsOf = (log: Buffer): ((at: number) => number) =>
  (log.readUInt32BE(0) & 1) === 1 ? (at) => log.readUInt32BE(at) : (at) => log.readUInt32LE(at);

type Sums = [number, number];

function addChecksum([first, second]: Sums, read: (at: number) => number, from: number, to: number): Sums {
  let a = first;
  let b = second;
  for (let at = from; at < to; at += 8) {
    a = (a + read(at) + b) >>> 0;
    b = (b + read(at + 4) + a) >>> 0;
  }
  return [a, b];
}

function isHeaderIntact(log: Buffer): boolean {
  const [a, b] = addChecksum([0, 0], wordsOf(log), 0, 24);
  return a === log.readUInt32BE(24) && b === log.readUInt32BE(28);
}

/** Counts the frames that SQLite would read. */
function countIntactFrames(log: Buffer, { frames, pageBytes, salt }: CommittedFrames): number {
  if (log.length < logHeaderBytes || !isHeaderIntact(log) || !log.subarray(16, 24).equals(salt)) return 0;
  const read = wordsOf(log);
  let sums = addChecksum([0, 0], read, 0, 24);
  for (let frame = 0; frame < frames; frame += 1) {
    const at = logHeaderBytes + frame * (frameHeaderBytes + pageBytes);
    const page = at + frameHeaderBytes;
    if (page + pageBytes > log.length || !log.subarray(at + 8, at + 16).equals(salt)) return frame;
    sums = addChecksum(addChecksum(sums, read, at, at + 8), read, page, page + pageBytes);
    if (sums[0] !== log.readUInt32BE(at + 16) || sums[1] !== log.readUInt32BE(at + 20)) return frame;
  }
  return frames;
}
