/**
 * @file One life of a training process: started, followed by its events, and killed with SIGKILL at a chosen moment.
 * What it was doing when it died is what its last words on standard output say, and not what was aimed at.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../apps/cli/dist/main.js', import.meta.url));

/** What a process was doing; `between`: an iteration, validation or checkpoint had just ended. */
export const stretches = ['start-up', 'rollout', 'update', 'checkpoint', 'validation', 'between'] as const;
export type Stretch = (typeof stretches)[number];

/** When to kill: in the n-th stretch of that kind, after some of its usual time. */
export interface Moment {
  readonly stretch: Stretch;
  /** from 1 */
  readonly occurrence: number;
  readonly delayMs: number;
}

export interface Life {
  readonly code: number | null;
  readonly isKilled: boolean;
  /** what it did last */
  readonly stretch: Stretch;
  readonly stderr: string;
  /** ms from the start of the process to the start of the loop; undefined when it never came there */
  readonly startMs: number | undefined;
  /** completed iterations at the start of the loop, and the highest one told of */
  readonly firstStep: number;
  readonly lastStep: number;
  /** every stretch in order, with its duration in ms */
  readonly stretches: readonly { readonly stretch: Stretch; readonly ms: number }[];
}

interface SpokenEvent {
  readonly kind: string;
  readonly step?: number;
  readonly phase?: string;
}

const ofPhase: Readonly<Record<string, Stretch>> = {
  collect: 'rollout',
  credit: 'update',
  update: 'update',
  save: 'checkpoint',
  validate: 'validation',
};

/** Runs `espalier` until it ends, or until `moment` comes. */
export function live(words: readonly string[], cwd: string, moment?: Moment): Promise<Life> {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const child = spawn(process.execPath, [main, ...words, '--json'], { cwd });
    const told: { stretch: Stretch; ms: number }[] = [];
    let [rest, stderr, isKilled] = ['', '', false];
    let [present, since]: [Stretch, number] = ['start-up', begin];
    let startMs: number | undefined;
    let [firstStep, lastStep] = [0, 0];
    let timer: NodeJS.Timeout | undefined;
    const kill = (): void => {
      isKilled = child.kill('SIGKILL');
    };
    const aim = (): void => {
      if (moment?.stretch !== present || timer !== undefined) return;
      const count = told.filter(({ stretch }) => stretch === present).length + 1;
      if (count === moment.occurrence) timer = setTimeout(kill, moment.delayMs);
    };
    const enter = (next: Stretch): void => {
      if (next === present) return;
      told.push({ stretch: present, ms: performance.now() - since });
      [present, since] = [next, performance.now()];
      aim();
    };
    const listen = (event: SpokenEvent): void => {
      if (event.kind === 'run-started') {
        startMs = performance.now() - begin;
        firstStep = event.step ?? 0;
        enter('between');
      }
      if (event.kind === 'metrics') lastStep = Math.max(lastStep, event.step ?? 0);
      if (event.kind === 'phase') enter(ofPhase[event.phase ?? ''] ?? present);
      if (event.kind === 'metrics' || event.kind === 'checkpoint') enter('between');
    };
    aim();
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) listen(JSON.parse(line) as SpokenEvent);
    });
    child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      told.push({ stretch: present, ms: performance.now() - since });
      const end = { code, isKilled: isKilled && signal === 'SIGKILL', stretch: present, stderr };
      resolve({ ...end, startMs, firstStep, lastStep, stretches: told });
    });
  });
}
