/** @file The environment: one goal, the tools of a server, and an answer to finish. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  AppError,
  createStream,
  data,
  type EnvironmentInstance,
  type Observation,
  type StepResult,
} from '@espalier/plugin-kit';
import { type Call, finish, parseAction, writeCall } from './action.js';
import { describeTool, findMisfit, makeArguments } from './arguments.js';
import { cut } from './result.js';
import { type OpenSession, openSession, type Session, type SessionOptions } from './session.js';
import type { Task } from './task/task.js';
import { tryOnce } from './trial.js';

export interface McpOptions extends SessionOptions {
  readonly splits: () => data.TaskSplits<Task>;
  readonly maxObservation: number;
  readonly repeatGoal: boolean;
  /** whether tasks are tried before they are played */
  readonly trial: boolean;
}

/** What an episode has come to. */
interface Episode {
  readonly open: OpenSession;
  readonly task: Task;
  /** calls that may have changed something */
  readonly changes: string[];
  /** calls with their results, for facts */
  readonly calls: { readonly call: string; readonly isError: boolean }[];
  text: string;
  /** how far the solution is followed; undefined off its way */
  position: number | undefined;
  isDone: boolean;
}

/** Calls that facts tell. */
const shownCalls = 20;

/** Creates one agent's desk; `reset` starts a server. */
export function createMcp(options: McpOptions): EnvironmentInstance {
  let episode: Episode | undefined;
  let controller = new AbortController();
  const close = async (): Promise<void> => {
    controller.abort();
    const { open } = episode ?? {};
    episode = undefined;
    await open?.close();
  };
  const current = (hook: string): Episode => {
    if (episode === undefined) throw new AppError('plugin.failed', `${hook}: no episode is open; call reset`);
    return episode;
  };
  return {
    reset: async ({ state }) => {
      await close();
      const { signal } = (controller = new AbortController());
      const task = data.taskOfSeed(options.splits(), state);
      if (options.trial) await tryOnce(task, options, signal);
      const open = await openSession(task, options, signal);
      episode = {
        open,
        task,
        changes: [],
        calls: [],
        text: startText(open.session),
        position: task.solution === undefined ? undefined : 0,
        isDone: false,
      };
      return observe(episode);
    },
    step: (action) => act(current('step'), action, options),
    render: () => renderOf(current('render')),
    close,
    oracle: () => planOf(current('oracle')),
    sampleAction: (seed) => sampleAction(current('sampleAction'), seed),
    facts: () => factsOf(current('facts')),
    explain: ([action = '']) => explain(action),
  };
}

function startText({ task, offered }: Session): string {
  return [
    `Goal: ${task.goal}`,
    'Tools:',
    ...[...offered.values()].map(describeTool),
    `- ${finish}(answer: string): ends the task; the answer may be empty where none is asked for`,
  ].join('\n');
}

function observe({ text, task, changes }: Episode): Observation {
  const stateKey = createHash('sha256')
    .update(JSON.stringify([task.place, changes, text]))
    .digest('base64url');
  return { text, stateKey };
}

async function act(episode: Episode, action: string, options: McpOptions): Promise<StepResult> {
  if (episode.isDone) throw new AppError('plugin.failed', 'step: the episode has ended; call reset');
  const before = observe(episode).stateKey;
  const call = parseAction(action);
  const { session } = episode.open;
  const say = (text: string): void => {
    const body = cut(text, options.maxObservation);
    episode.text = options.repeatGoal ? `${startText(session)}\n\n${body}` : body;
  };
  const result = (
    valid: boolean,
    metrics: Record<string, number>,
    done?: { success: boolean },
  ): StepResult => {
    const observation = observe(episode);
    const success = done?.success ?? false;
    return {
      observation,
      reward: success ? 1 : 0,
      done: done !== undefined,
      success,
      valid,
      effective: observation.stateKey !== before,
      metrics,
    };
  };
  const misfit = typeof call === 'string' ? call : misfitOf(session, call);
  if (typeof call === 'string' || misfit !== undefined) {
    say(`Not done: ${misfit}.`);
    return result(false, { tool_error: 0 });
  }
  if (call.tool === finish) {
    const answer = answerOf(call);
    const { met, of } = await session.measure(answer);
    episode.isDone = true;
    say(met === of ? 'The task is solved.' : 'The task is not solved.');
    return result(true, { checks_met: met / of }, { success: met === of });
  }
  const { text, isError } = await session.call(call);
  recordCall(episode, call, isError);
  say(`${isError ? 'Error of' : 'Result of'} ${call.tool}:\n${text === '' ? '(nothing)' : text}`);
  return result(true, { tool_error: isError ? 1 : 0 });
}

const answerOf = ({ arguments: { answer } }: Call): string =>
  typeof answer === 'string' ? answer : answer === undefined ? '' : JSON.stringify(answer);

function misfitOf({ offered }: Session, call: Call): string | undefined {
  if (call.tool === finish) {
    const other = Object.keys(call.arguments).find((name) => name !== 'answer');
    return other === undefined ? undefined : `${finish} has no argument ${other.slice(0, 60)}; it has answer`;
  }
  const tool = offered.get(call.tool);
  if (tool === undefined)
    return `there is no tool ${call.tool.slice(0, 60)}; there are ${[...offered.keys(), finish].join(', ')}`;
  return findMisfit(tool, call.arguments);
}

function recordCall(episode: Episode, call: Call, isError: boolean): void {
  const { changes, calls, task, open } = episode;
  calls.push({ call: writeCall(call).slice(0, 200), isError });
  if (calls.length > shownCalls) calls.shift();
  const isReading = open.session.offered.get(call.tool)?.annotations?.readOnlyHint === true;
  if (!isReading) changes.push(writeCall(call));
  if (episode.position === undefined) return;
  const next = task.solution?.calls[episode.position];
  const isNext =
    next !== undefined &&
    next.tool === call.tool &&
    isDeepStrictEqual({ ...next.arguments }, { ...call.arguments });
  if (isNext && !isError) episode.position++;
  else if (!isReading) episode.position = undefined;
}

/** What is left of the solution; nothing where the episode left its way. */
function planOf({ task: { solution }, position, isDone }: Episode): string[] {
  if (solution === undefined || position === undefined || isDone) return [];
  const end: Call = { tool: finish, arguments: { answer: solution.answer ?? '' } };
  return [...solution.calls.slice(position), end].map(writeCall);
}

/** A call with made-up arguments, or now and then the end; never of the solution, or chance would look able. */
function sampleAction({ task, open }: Episode, seed: number): string {
  const stream = createStream(seed);
  const words = task.goal.split(/[^\p{L}\p{N}_-]+/u).filter((word) => word !== '');
  const calls: Call[] = [];
  for (const tool of open.session.offered.values()) {
    const made = makeArguments(tool, (list) => stream.pick(list), ['x', ...words], stream.int(5));
    if (made !== undefined) calls.push({ tool: tool.name, arguments: made });
  }
  const isLast = stream.int(10) === 0 || calls.length === 0;
  return writeCall(
    isLast ? { tool: finish, arguments: { answer: stream.pick(['', ...words]) } } : stream.pick(calls),
  );
}

function factsOf({ task, calls, changes, isDone }: Episode): Readonly<Record<string, unknown>> {
  return {
    task: task.id,
    goal: task.goal,
    calls: calls.map(({ call, isError }) => ({ call, isError })),
    changes: changes.length,
    done: isDone,
  };
}

function renderOf({ task, calls, text }: Episode): string {
  const lines = calls.map(({ call, isError }) => `${isError ? '! ' : '> '}${call}`);
  return [task.goal, '-'.repeat(40), ...(lines.length === 0 ? ['(no call yet)'] : [...lines, text])].join(
    '\n',
  );
}

function explain(action: string): string {
  const call = parseAction(action);
  if (typeof call === 'string') return 'I look at the tools.';
  if (call.tool === finish) return 'All is done, so I finish.';
  return `Next I call ${call.tool}.`.slice(0, 200);
}
