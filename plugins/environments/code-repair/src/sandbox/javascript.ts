/** @file One JavaScript program in one fresh instance of QuickJS, which has neither modules nor anything of Node. */
import * as release from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import { maxError, maxPrinted, maxResult, type Answer } from './job.js';
import { javaScriptHarness } from './javascript-harness.js';
import type { RunEnd } from './python.js';
import { wasm, type WasmModule } from './web-assembly.js';
import type { Reporter } from './worker.js';

// the types of the package are those of its CommonJS form
const variant = release.default as unknown as QuickJSSyncVariant;

/** What the module asks for at first. */
const firstPages = 256;
const pageBytes = 65_536;

/** Deepest stack of a program, bytes; the instance has a megabyte. */
const stackBytes = 256 * 1024;

/** Runs a job. */
export async function runJavaScript(
  module: WasmModule,
  memoryBytes: number,
  reporter: Reporter,
): Promise<RunEnd> {
  const silent = (): void => undefined;
  const memory = new wasm.Memory({ initial: firstPages, maximum: Math.floor(memoryBytes / pageBytes) });
  const instance = await newQuickJSWASMModuleFromVariant(
    newVariant(variant, {
      wasmModule: module as never,
      wasmMemory: memory as never,
      emscriptenModule: { print: silent, printErr: silent } as object,
    }),
  );
  const runtime = instance.newRuntime();
  runtime.setMaxStackSize(stackBytes);
  const context = runtime.newContext();
  let printed = '';
  const print = context.newFunction('print', (text) => {
    if (!reporter.isHeard()) return;
    printed = (printed + readText(context, text, maxPrinted)).slice(0, maxPrinted);
  });
  const harness = context.unwrapResult(context.evalCode(`(${javaScriptHarness})`, 'harness'));
  const limits = context.unwrapResult(context.evalCode(`([${maxResult}, ${maxPrinted}, ${maxError}])`));
  const invoke = context.unwrapResult(context.callFunction(harness, context.undefined, print, limits));
  const job = reporter.takeJob();
  try {
    const run = (...given: QuickJSHandle[]): Answer => {
      const result = context.callFunction(invoke, context.undefined, ...given);
      if (result.error !== undefined) return { kind: 'raised', text: 'the call failed' };
      return readAnswer(readText(context, result.value, maxResult + maxError));
    };
    // an error of the program is described in the sandbox, as is one of a call
    const read = (code: string): QuickJSHandle | Answer => {
      const result = context.evalCode(code, 'program', { type: 'global' });
      return result.error === undefined ? result.value : run(result.error);
    };
    const program = read(job.source);
    const entry = 'kind' in program ? program : read(`(${job.entry})`);
    if ('kind' in entry) {
      reporter.loaded(entry.text);
      return { end: 'finished', printed };
    }
    reporter.loaded();
    for (const [index, call] of job.calls.entries()) {
      const given = read(`(${call})`);
      reporter.answer(index, 'kind' in given ? given : run(entry, given));
    }
    return { end: 'finished', printed };
  } catch {
    return { end: 'crashed', printed };
  }
}

/** The text of a value, without copying one that is longer than `max`. */
function readText(context: QuickJSContext, handle: QuickJSHandle, max: number): string {
  if (context.typeof(handle) !== 'string') return '';
  const length = context.getNumber(context.getProp(handle, 'length'));
  return length <= max ? context.getString(handle) : '';
}

const kinds: Readonly<Record<string, Answer['kind']>> = { V: 'value', R: 'raised', Z: 'too_large' };

/** What the harness says of a call; anything else is a failure of the program. */
function readAnswer(text: string): Answer {
  const kind = kinds[text[0] ?? ''];
  return kind === undefined ? { kind: 'raised', text: 'the call failed' } : { kind, text: text.slice(1) };
}
