/** @file Errors of what runs graphs: drivers, sessions, and the native libraries that `espalier setup` fetches. */
import type { ErrorRow } from './error-row.js';

export const runtimeErrors = {
  // runtime
  'runtime.provider_unavailable': {
    meaning: 'this machine does not have the requested execution provider',
    exit: 'invalid',
  },
  'runtime.driver_unavailable': {
    meaning: 'the library of a driver is missing, does not load, or is not the pinned version',
    exit: 'invalid',
  },
  'runtime.unsupported_precision': {
    meaning: 'the processor or the driver does not compute in the requested precision',
    exit: 'invalid',
  },
  'runtime.unknown_input': { meaning: 'the session has no input or output of that name', exit: 'failed' },
  'runtime.missing_feed': { meaning: 'an input has no feed', exit: 'failed' },
  'runtime.shape_mismatch': {
    meaning: 'a feed or preallocated output has a shape that does not fit the session',
    exit: 'failed',
  },
  'runtime.dtype_mismatch': {
    meaning: 'a feed or preallocated output has another dtype than the session declares',
    exit: 'failed',
  },
  'runtime.index_out_of_range': {
    meaning: 'a feed that a graph uses as indices, such as token ids, has one outside the axis',
    exit: 'failed',
  },
  'runtime.session_failed': { meaning: 'the runtime rejected a graph', exit: 'failed' },
  'runtime.run_failed': { meaning: 'the runtime failed while running a graph', exit: 'failed' },
  'runtime.out_of_memory': {
    meaning:
      'memory ran out while a graph ran; as a warning: a training step, or scoring before it, was repeated with less memory, by recomputation or smaller micro-batches',
    exit: 'failed',
    severity: 'warning',
  },
  'runtime.device_lost': {
    meaning: 'a GPU failed while a graph ran, or no longer answers the process; the last checkpoint stands',
    exit: 'failed',
  },
  'runtime.disposed': { meaning: 'a session is used after it was disposed', exit: 'failed' },
  // setup
  'setup.unsupported_platform': {
    meaning: 'a native library is not pinned for this platform',
    exit: 'invalid',
  },
  'setup.no_source': {
    meaning:
      'a native library is to be fetched, and neither pip is configured with a place that has it nor a file was given; or what was given, or a place of pip, cannot be used',
    exit: 'invalid',
  },
  'setup.unreachable': {
    meaning: 'a package index does not answer, or refuses',
    exit: 'unavailable',
  },
  'setup.wrong_file': {
    meaning: 'a file is not the pinned one: its sha256 differs, or it lacks a library',
    exit: 'invalid',
  },
  'setup.no_space': {
    meaning: 'the cache folder has too little room for a native library',
    exit: 'unavailable',
  },
  'setup.locked': { meaning: 'another process is setting up the same library', exit: 'temporary' },
} as const satisfies Record<string, ErrorRow>;
