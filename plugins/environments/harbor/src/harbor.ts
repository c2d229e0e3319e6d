/** @file The environment: a shell in the sandbox of a task, and `submit`, which runs the tests of the task. */
import { createHash } from 'node:crypto';
import {
  AppError,
  createStream,
  data,
  type EnvironmentInstance,
  type Observation,
  type StepResult,
} from '@espalier/plugin-kit';
import type { Task } from './task/task.js';
import { workdirOf } from './task/task.js';
import { proveOnce, Trial, type TrialOptions } from './trial.js';

export interface HarborOptions extends TrialOptions {
  readonly splits: () => data.TaskSplits<Task>;
  readonly prove: boolean;
  readonly successReward: number;
  readonly maxCommands: number;
  readonly commandTimeoutMs: number;
  readonly maxObservation: number;
}

interface Episode {
  readonly trial: Trial;
  text: string;
  files: string;
  commands: number;
  /** exit status of the last command; null where it was cut off or not run, or there was none */
  status: number | null;
  /** what is left of `agent.timeout_sec` */
  leftMs: number;
  isDone: boolean;
}

/** Bytes of a command: Linux gives a program no longer argument. */
const maxCommand = 131_071;
/** Ends an episode. */
export const submit = 'submit';

export function createHarbor(options: HarborOptions): EnvironmentInstance {
  let episode: Episode | undefined;
  let closings = 0;
  const close = (): void => {
    closings++;
    const { trial } = episode ?? {};
    episode = undefined;
    trial?.close();
  };
  const current = (hook: string): Episode => {
    if (episode === undefined) throw new AppError('plugin.failed', `${hook}: no episode is open; call reset`);
    return episode;
  };
  return {
    reset: async ({ state }) => {
      close();
      const before = closings;
      const task = data.taskOfSeed(options.splits(), state);
      if (options.prove) await proveOnce(task, options);
      const trial = await Trial.open(task, options);
      if (closings > before) {
        trial.close();
        throw new AppError(
          'plugin.failed',
          `reset: the episode was closed while task "${task.name}" was being built; where that takes long, raise rollout.environmentTimeoutMs`,
        );
      }
      episode = {
        trial,
        text: `${task.instruction.trim()}\n\nCommands run in ${workdirOf(task)}.`,
        files: trial.summarize(),
        commands: 0,
        status: null,
        leftMs: 1000 * (task.config.agent.timeout_sec ?? Number.POSITIVE_INFINITY),
        isDone: false,
      };
      return observe(episode);
    },
    step: (action) => act(current('step'), action.trim(), options),
    render: () => {
      const { trial, text } = current('render');
      return `${trial.task.name}\n${'-'.repeat(40)}\n${text}`;
    },
    close,
    oracle: () => planOf(current('oracle')),
    sampleAction: (seed) => createStream(seed).pick(harmless),
    facts: () => {
      const { trial, commands, status, isDone } = current('facts');
      return { task: trial.task.name, commands, status, done: isDone };
    },
    explain: ([action]) =>
      action === submit ? 'The work is done, so I submit.' : 'I do what the task asks for with one command.',
  };
}

/** Commands that look at a task and change nothing, and the end. */
const harmless = ['ls', 'pwd', 'cat *', 'wc -c *', 'find . -type f | sort', 'echo done > done.txt', submit];

/** The solution as one command; none where it has files of its own, or where something was done. */
function planOf({ trial, isDone, commands }: Episode): string[] {
  const { script } = trial.task;
  return script === undefined || isDone || commands > 0 ? [] : [script.trim(), submit];
}

function observe({ text, files, trial }: Episode): Observation {
  const stateKey = createHash('sha256')
    .update(JSON.stringify([trial.task.name, files, text]))
    .digest('base64url');
  return { text, stateKey };
}

async function act(episode: Episode, action: string, options: HarborOptions): Promise<StepResult> {
  if (episode.isDone) throw new AppError('plugin.failed', 'step: the episode has ended; call reset');
  const before = observe(episode).stateKey;
  episode.commands++;
  const isSubmitted = action === submit;
  const misfit = findMisfit(action);
  if (misfit !== undefined) Object.assign(episode, { text: `[not run: ${misfit}]`, status: null });
  else if (!isSubmitted) await runCommand(episode, action, options);
  const isLast = isSubmitted || episode.commands >= options.maxCommands || episode.leftMs <= 0;
  const isFailed = !isSubmitted && misfit === undefined && episode.status !== 0;
  const end = isLast ? await finish(episode, options) : undefined;
  const observation = observe(episode);
  return {
    observation,
    reward: end?.reward ?? 0,
    done: isLast,
    success: end?.success ?? false,
    valid: action !== '' && misfit === undefined,
    effective: observation.stateKey !== before,
    metrics: {
      command_failed: isFailed ? 1 : 0,
      ...(end === undefined ? {} : { tests_failed_to_run: end.isBroken ? 1 : 0 }),
    },
  };
}

/** Why a command cannot be given to bash, if so. */
function findMisfit(command: string): string | undefined {
  if (command.includes('\0')) return 'a command cannot contain the character NUL';
  return Buffer.byteLength(command) > maxCommand
    ? `a command cannot have more than ${maxCommand} bytes`
    : undefined;
}

async function runCommand(episode: Episode, command: string, options: HarborOptions): Promise<void> {
  const timeoutMs = Math.min(options.commandTimeoutMs, episode.leftMs);
  const { status, output, elapsedMs } = await episode.trial.run(command, timeoutMs);
  episode.leftMs -= elapsedMs;
  episode.status = status ?? null;
  episode.files = episode.trial.summarize();
  const notes = [
    ...(status === undefined ? [`[cut off after ${Math.round(timeoutMs)} ms]`] : []),
    ...(status === undefined || status === 0 ? [] : [`[exit status ${status}]`]),
  ];
  const shown = shorten(output.trimEnd(), options.maxObservation);
  episode.text = [shown, ...notes].filter((part) => part !== '').join('\n') || '(no output)';
}

async function finish(
  episode: Episode,
  { successReward }: HarborOptions,
): Promise<{ readonly reward: number; readonly success: boolean; readonly isBroken: boolean }> {
  const { reward, failure } = await episode.trial.verify();
  episode.isDone = true;
  const success = failure === undefined && reward >= successReward;
  episode.text = `${success ? 'The task is solved.' : 'The task is not solved.'} Reward ${reward}.${failure === undefined ? '' : ` There was none: ${failure}.`}`;
  return { reward, success, isBroken: failure !== undefined };
}

/** Begin and end of a long text. */
function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}
