/**
 * @file Runs one training process, follows its events, and kills it with SIGKILL at a chosen point. The phase in which it
 * died is the last one that it reported, not the one aimed at.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../apps/cli/dist/main.js', import.meta.url));

/** Phases of a process; `between`: an iteration, validation or checkpoint has just ended. */
export const trainingPhases = [
  'start-up',
  'rollout',
  'update',
  'checkpoint',
  'validation',
  'between',
] as const;
export type TrainingPhase = (typeof trainingPhases)[number];

/** When to kill: during the n-th occurrence of a phase, after a delay. */
export interface KillPoint {
  readonly phase: TrainingPhase;
  /** from 1 */
  readonly occurrence: number;
  readonly delayMs: number;
}

export interface ProcessRun {
  readonly code: number | null;
  readonly isKilled: boolean;
  /** its last phase */
  readonly phase: TrainingPhase;
  readonly stderr: string;
  /** ms from the start of the process to the start of the training loop; undefined when it never got there */
  readonly startMs: number | undefined;
  /** completed iterations at the start of the loop, and the highest one reported */
  readonly firstStep: number;
  readonly lastStep: number;
  /** all phases in order, with their durations in ms */
  readonly phases: readonly { readonly phase: TrainingPhase; readonly ms: number }[];
}

interface ProgressEvent {
  readonly kind: string;
  readonly step?: number;
  readonly phase?: string;
}

const phaseOf: Readonly<Record<string, TrainingPhase>> = {
  collect: 'rollout',
  credit: 'update',
  update: 'update',
  save: 'checkpoint',
  validate: 'validation',
};

/** Runs `espalier` until it exits or is killed at `killPoint`. */
export function runProcess(
  words: readonly string[],
  cwd: string,
  killPoint?: KillPoint,
): Promise<ProcessRun> {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const child = spawn(process.execPath, [main, ...words, '--json'], { cwd });
    const past: { phase: TrainingPhase; ms: number }[] = [];
    let rest = '';
    let stderr = '';
    let isKilled = false;
    let present: TrainingPhase = 'start-up';
    let since = begin;
    let startMs: number | undefined;
    let firstStep = 0;
    let lastStep = 0;
    let timer: NodeJS.Timeout | undefined;
    const kill = (): void => {
      isKilled = child.kill('SIGKILL');
    };
    const aim = (): void => {
      if (killPoint?.phase !== present || timer !== undefined) return;
      const count = past.filter(({ phase }) => phase === present).length + 1;
      if (count === killPoint.occurrence) timer = setTimeout(kill, killPoint.delayMs);
    };
    const enter = (next: TrainingPhase): void => {
      if (next === present) return;
      past.push({ phase: present, ms: performance.now() - since });
      present = next;
      since = performance.now();
      aim();
    };
    const listen = (event: ProgressEvent): void => {
      if (event.kind === 'run-started') {
        startMs = performance.now() - begin;
        firstStep = event.step ?? 0;
        enter('between');
      }
      if (event.kind === 'metrics') lastStep = Math.max(lastStep, event.step ?? 0);
      if (event.kind === 'phase') enter(phaseOf[event.phase ?? ''] ?? present);
      if (event.kind === 'metrics' || event.kind === 'checkpoint') enter('between');
    };
    aim();
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) listen(JSON.parse(line) as ProgressEvent);
    });
    child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      past.push({ phase: present, ms: performance.now() - since });
      const end = { code, isKilled: isKilled && signal === 'SIGKILL', phase: present, stderr };
      resolve({ ...end, startMs, firstStep, lastStep, phases: past });
    });
  });
}
