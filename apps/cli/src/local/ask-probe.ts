/**
 * @file Opens native libraries in a process of their own: one that ends its process as it loads, because the processor lacks
 * its instructions or a file is damaged, is a finding then and does not take the command along.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError, type ErrorCode } from '@espalier/contracts';
import type { DriverName } from '@espalier/runtime';
import type { ProbeAnswers, ProbeQuestion, ProbeSubject } from './probe-program.js';

const program = fileURLToPath(new URL('./probe-program.js', import.meta.url));

/** An answer, or what was found instead: an error's message, or how the process ended, and after a semicolon what to do. */
export type Probed<Q extends ProbeQuestion> =
  | { readonly answer: ProbeAnswers[Q] }
  | { readonly finding: string; readonly code: ErrorCode };

/** What to do about a library that ends its process, by what it is for. */
interface Remedy {
  /** where the file may be damaged */
  readonly damaged: string;
  /** to do without it */
  readonly without: string;
}

const remedies: Readonly<Record<DriverName | 'cuda' | 'webgpu' | 'onnxruntime', Remedy>> = {
  onnxruntime: { damaged: 'run npm ci again', without: 'train on another machine' },
  'onnxruntime-node': { damaged: 'run npm ci again', without: 'train on another machine' },
  native: { damaged: 'run npm ci again', without: 'leave device.driver out' },
  openvino: {
    damaged: 'run espalier setup openvino --force',
    without: 'leave device.driver and device.precision out',
  },
  cuda: { damaged: 'run espalier setup cuda --force', without: 'leave device.provider out' },
  webgpu: { damaged: 'install the driver of the GPU again', without: 'leave device.provider out' },
};

/** @param subject what a question about a driver, or about one on a provider, is about */
export function askProbe<Q extends ProbeQuestion>(
  question: Q,
  subject: ProbeSubject = {},
): Promise<Probed<Q>> {
  const { driver, provider, precision } = subject;
  const library =
    provider === 'webgpu' ? provider : (driver ?? (question === 'runtime' ? 'onnxruntime' : 'cuda'));
  return new Promise((resolve) => {
    const child = fork(program, [question, driver ?? '', provider ?? '', precision ?? ''], {
      serialization: 'advanced',
      execArgv: [],
      // stdout may be parsed; Vulkan's loader writes of what nobody asked for
      stdio: ['ignore', 2, provider === 'webgpu' ? 'ignore' : 2, 'ipc'],
    });
    const failed = (message: string): void =>
      resolve({
        code: 'runtime.driver_unavailable',
        finding: `open ${library}: ${message.trim().replaceAll(/\s+/g, ' ')}; ${remedies[library].damaged}`,
      });
    child.on('message', (said: Probed<Q> | { readonly error: string }) =>
      'error' in said ? failed(said.error) : resolve(said),
    );
    child.on('error', ({ message }) => failed(message));
    child.on('exit', (code, signal) => {
      const end = (): void =>
        resolve({ code: 'runtime.driver_unavailable', finding: describeEnd(library, signal, code) });
      // what it said before it ended may still be on its way
      if (child.connected) child.on('disconnect', end);
      else end();
    });
  });
}

/** As {@link askProbe}. @throws what was found instead of an answer */
export async function requireAnswer<Q extends ProbeQuestion>(
  question: Q,
  subject?: ProbeSubject,
): Promise<ProbeAnswers[Q]> {
  const probed = await askProbe(question, subject);
  if ('answer' in probed) return probed.answer;
  throw new AppError(probed.code, probed.finding);
}

/** What is found of a library whose process ended before it answered. */
export function describeEnd(
  library: keyof typeof remedies,
  signal: NodeJS.Signals | null,
  code: number | null,
): string {
  const { damaged, without } = remedies[library];
  const found = `open ${library}: its libraries ended the process that opened them, by ${signal ?? `exit code ${code}`}`;
  return signal === 'SIGILL'
    ? `${found}: the processor lacks an instruction that they were built with; ${without}`
    : `${found}; ${damaged}, or ${without}`;
}
