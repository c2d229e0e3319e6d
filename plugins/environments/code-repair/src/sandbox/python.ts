/** @file One Python program in one fresh instance of the interpreter. */
import { randomBytes } from 'node:crypto';
import { maxError, maxPrinted, maxResult, type Answer } from './job.js';
import { pythonHarness } from './python-harness.js';
import { createSystem, ProgramExit } from './wasi.js';
import { wasm, type WasmMemory, type WasmModule } from './web-assembly.js';
import type { Reporter } from './worker.js';

/** How an interpreter ended, and what the program printed. */
export interface RunEnd {
  readonly end: 'finished' | 'exited' | 'crashed';
  readonly printed: string;
}

/** Letters of the harness's lines. */
const answerKinds: Readonly<Record<string, Answer['kind']>> = { V: 'value', R: 'raised', Z: 'too_large' };

/**
 * Runs a job. The interpreter is up when the harness reads its input, which is before it reads the program.
 *
 * @throws where the interpreter does not start
 */
export function runPython(module: WasmModule, reporter: Reporter): RunEnd {
  // lines of the harness begin with a word that the program is not told
  const nonce = randomBytes(8).toString('hex');
  let isUp = false;
  let isDone = false;
  const system = createSystem({
    args: ['python', '-S', '-s', '-B', '-P', '-c', pythonHarness],
    environment: ['PYTHONHASHSEED=0'],
    maxOutput: maxPrinted,
    isHeard: () => reporter.isHeard(),
    // six characters for one that is written as an escape
    maxLine: nonce.length + 6 * (maxResult + maxError) + 32,
    read: () => {
      const { source, entry, calls } = reporter.takeJob();
      isUp = true;
      return JSON.stringify([nonce, source, entry, maxResult, calls]);
    },
    line: (line) => {
      if (!line.startsWith(`${nonce} `)) return;
      const [kind = '', number = '', ...words] = line.slice(nonce.length + 1).split(' ');
      const text = words.join(' ');
      if (kind === 'L') reporter.loaded();
      else if (kind === 'E') reporter.loaded(readText(text));
      else if (kind === 'D') isDone = true;
      else if (kind in answerKinds) {
        const answer = answerKinds[kind]!;
        reporter.answer(Number(number), { kind: answer, text: answer === 'raised' ? readText(text) : text });
      }
    },
  });
  const instance = new wasm.Instance(module, { wasi_snapshot_preview1: system.imports });
  system.attach(instance.exports['memory'] as WasmMemory);
  let end: RunEnd['end'] = 'exited';
  try {
    (instance.exports['_start'] as () => void)();
  } catch (error) {
    if (!(error instanceof ProgramExit)) end = 'crashed';
  }
  if (!isUp) throw new Error(`the Python interpreter did not start: ${system.printed() || end}`);
  return { printed: system.printed(), end: isDone ? 'finished' : end };
}

/** A text that the harness wrote as JSON; as it is where something else wrote it. */
function readText(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
