/**
 * @file The operating system of a sandboxed program: WASI preview 1 without files, network, real time or real chance. A program
 * has its input (descriptor 0) and its output (1 and 2, cut); every other call fails. The harness writes its lines to 0: the
 * interpreter's own module passes on no other descriptor that it did not open.
 * https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md
 */
import { wasm, type WasmMemory } from './web-assembly.js';

/** Thrown by `proc_exit`, because WASM cannot be left otherwise. */
export class ProgramExit extends Error {}

export interface SystemOptions {
  readonly args: readonly string[];
  readonly environment: readonly string[];
  /** characters of output that are kept */
  readonly maxOutput: number;
  /** whether output is kept now */
  readonly isHeard: () => boolean;
  /** characters of a line that are kept */
  readonly maxLine: number;
  /** the whole input, asked for once */
  readonly read: () => string;
  /** a line on {@link lineDescriptor} */
  readonly line: (line: string) => void;
}

export interface System {
  readonly imports: Calls;
  /** gives the memory of the instance */
  attach(memory: WasmMemory): void;
  printed(): string;
}

const lineDescriptor = 0;

const ok = 0;
const badDescriptor = 8;
const notSupported = 52;
const notSeekable = 70;

const characterDevice = 2;

/** Nanoseconds of the clock at the start: 1 January 2024. */
const firstInstant = 1_704_067_200n * 10n ** 9n;

const refused = [
  'fd_advise',
  'fd_allocate',
  'fd_datasync',
  'fd_fdstat_set_flags',
  'fd_filestat_set_size',
  'fd_filestat_set_times',
  'fd_pread',
  'fd_prestat_dir_name',
  'fd_pwrite',
  'fd_readdir',
  'fd_sync',
  'fd_tell',
  'path_create_directory',
  'path_filestat_get',
  'path_filestat_set_times',
  'path_link',
  'path_open',
  'path_readlink',
  'path_remove_directory',
  'path_rename',
  'path_symlink',
  'path_unlink_file',
  'sock_accept',
  'sock_recv',
  'sock_send',
  'sock_shutdown',
  'poll_oneoff',
];

type Calls = Record<string, (...args: never[]) => number>;

/** The memory of an instance, which moves when it grows. */
class Access {
  memory: WasmMemory = new wasm.Memory({ initial: 0 });

  view(): DataView {
    return new DataView(this.memory.buffer);
  }

  bytes(at: number, length: number): Buffer {
    return Buffer.from(this.memory.buffer, at, length);
  }

  /** The parts of a vector of buffers. */
  *parts(at: number, count: number): Generator<Buffer> {
    for (let place = at; place < at + 8 * count; place += 8)
      yield this.bytes(this.view().getUint32(place, true), this.view().getUint32(place + 4, true));
  }
}

/** Makes the calls that the interpreter imports. */
export function createSystem(options: SystemOptions): System {
  const access = new Access();
  const output = createText(options.maxOutput);
  return {
    imports: {
      ...listCalls(access, 'args', options.args),
      ...listCalls(access, 'environ', options.environment),
      ...clockCalls(access),
      ...streamCalls(access, options, output),
      ...descriptionCalls(access),
      sched_yield: () => ok,
      proc_exit: () => {
        throw new ProgramExit();
      },
      ...Object.fromEntries(refused.map((name) => [name, () => notSupported])),
    },
    attach: (memory) => {
      access.memory = memory;
    },
    printed: () => output.text(),
  };
}

/** The two calls that hand over a list of texts. */
function listCalls(access: Access, name: string, texts: readonly string[]): Calls {
  const encoded = texts.map((text) => Buffer.from(`${text}\0`));
  const size = encoded.reduce((sum, { length }) => sum + length, 0);
  return {
    [`${name}_sizes_get`]: (count: number, total: number) => {
      access.view().setUint32(count, encoded.length, true);
      access.view().setUint32(total, size, true);
      return ok;
    },
    [`${name}_get`]: (pointers: number, at: number) => {
      let place = at;
      for (const [index, text] of encoded.entries()) {
        access.view().setUint32(pointers + 4 * index, place, true);
        access.bytes(place, text.length).set(text);
        place += text.length;
      }
      return ok;
    },
  };
}

/** A clock that only moves when it is looked at, and chance that is none. */
function clockCalls(access: Access): Calls {
  let instant = firstInstant;
  return {
    clock_res_get: (_clock: number, at: number) => {
      access.view().setBigUint64(at, 1000n, true);
      return ok;
    },
    clock_time_get: (_clock: number, _precision: bigint, at: number) => {
      instant += 1000n;
      access.view().setBigUint64(at, instant, true);
      return ok;
    },
    random_get: (at: number, length: number) => {
      access.bytes(at, length).fill(7);
      return ok;
    },
  };
}

function streamCalls(access: Access, options: SystemOptions, output: BoundedText): Calls {
  let line = createText(options.maxLine);
  let input: Buffer | undefined;
  const writeLines = (part: Buffer): void => {
    for (let from = 0; from < part.length;) {
      const end = part.indexOf(10, from);
      line.add(part.subarray(from, end < 0 ? part.length : end));
      if (end < 0) return;
      if (!line.isCut()) options.line(line.text());
      line = createText(options.maxLine);
      from = end + 1;
    }
  };
  return {
    fd_read: (descriptor: number, at: number, count: number, result: number) => {
      if (descriptor !== 0) return badDescriptor;
      input ??= Buffer.from(options.read());
      let total = 0;
      for (const part of access.parts(at, count)) {
        const length = input.copy(part);
        input = input.subarray(length);
        total += length;
      }
      access.view().setUint32(result, total, true);
      return ok;
    },
    fd_write: (descriptor: number, at: number, count: number, result: number) => {
      if (!isStream(descriptor)) return badDescriptor;
      let total = 0;
      for (const part of access.parts(at, count)) {
        if (descriptor === lineDescriptor) writeLines(part);
        else if (options.isHeard()) output.add(part);
        total += part.length;
      }
      access.view().setUint32(result, total, true);
      return ok;
    },
    fd_seek: () => notSeekable,
    fd_close: () => ok,
  };
}

const isStream = (descriptor: number): boolean => descriptor >= 0 && descriptor <= 2;

/** What a stream is: a device that reads and writes characters. There are no folders. */
function descriptionCalls(access: Access): Calls {
  return {
    fd_prestat_get: () => badDescriptor,
    fd_fdstat_get: (descriptor: number, at: number) => {
      if (!isStream(descriptor)) return badDescriptor;
      access.bytes(at, 24).fill(0);
      access.view().setUint8(at, characterDevice);
      access.view().setBigUint64(at + 8, 0xffff_ffff_ffff_ffffn, true);
      return ok;
    },
    fd_filestat_get: (descriptor: number, at: number) => {
      if (!isStream(descriptor)) return badDescriptor;
      access.bytes(at, 64).fill(0);
      access.view().setUint8(at + 16, characterDevice);
      return ok;
    },
  };
}

interface BoundedText {
  add(part: Buffer): void;
  text(): string;
  isCut(): boolean;
}

/** Text that grows up to a bound and drops the rest. */
function createText(max: number): BoundedText {
  const kept: Buffer[] = [];
  let length = 0;
  let isCut = false;
  return {
    add(part) {
      const room = Math.max(0, max - length);
      isCut ||= part.length > room;
      // a copy: the memory belongs to the program
      if (room > 0 && part.length > 0) kept.push(Buffer.from(part.subarray(0, room)));
      length += Math.min(part.length, room);
    },
    text: () => Buffer.concat(kept).toString(),
    isCut: () => isCut,
  };
}
