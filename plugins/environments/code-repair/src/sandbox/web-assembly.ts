/** @file The part of the WebAssembly API that sandboxes use; the types of Node 20 do not have it. */

/** Compiled code; threads share it. */
export type WasmModule = object;

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>;
}

interface Engine {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  readonly Instance: new (module: WasmModule, imports: object) => WasmInstance;
  readonly Memory: new (size: { initial: number; maximum?: number }) => WasmMemory;
}

export const wasm = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly;
