/**
 * @file Memory that native code frees, given back to the system. glibc learns from what is freed to keep large pieces, up to
 * 32 MB, on its heap; there a small piece above holds everything below resident. A session copies its constants while it
 * lays them out, and of matrices of 17 MB the copies stayed: 1.1 GB for 0.5 billion parameters.
 */

/** Of mallopt: pieces from this size on are mapped one by one, and the size is no longer learned. */
const MMAP_THRESHOLD = -3;
/** Smaller pieces are reused so often that fresh pages would cost more than they give back. */
const MAPPED_BYTES = 2 ** 20;

let isSet: Promise<boolean> | undefined;

/**
 * Gives large pieces back as soon as they are freed, in the whole process and from now on.
 *
 * @returns false where it cannot be chosen: without glibc, or without the optional package koffi; all that this costs is memory
 */
export function returnFreedMemory(): Promise<boolean> {
  isSet ??= setThreshold();
  return isSet;
}

async function setThreshold(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  try {
    const { default: koffi } = await import('koffi');
    const mallopt = koffi.load('libc.so.6').func('int mallopt(int parameter, int value)');
    return mallopt(MMAP_THRESHOLD, MAPPED_BYTES) === 1;
  } catch {
    return false;
  }
}
