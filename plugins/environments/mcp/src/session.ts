/** @file A task with a server of its own: started, set up, called and checked. */
import type { Tool } from '@modelcontextprotocol/client';
import { AppError } from '@espalier/plugin-kit';
import { type Call, finish } from './action.js';
import { findMisfit } from './arguments.js';
import { textOf } from './result.js';
import type { Connection, ConnectionLimits, ServerSpec } from './server/connection.js';
import { takeProcessSlot, takeTurn } from './server/slots.js';
import { follow, jsonOf, lowerAll, matches } from './task/match.js';
import { type Check, isShared, type Matcher, type Task } from './task/task.js';
import { Workspace } from './workspace.js';

/** Most tools that are offered. */
const maxTools = 64;

export interface SessionOptions extends ConnectionLimits {
  /** servers' processes at once */
  readonly servers: number;
}

export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
}

export class Session {
  /** tools that the agent may call, in the order of the task */
  readonly offered: ReadonlyMap<string, Tool>;

  constructor(
    readonly task: Task,
    readonly connection: Connection,
    readonly workspace: Workspace | undefined,
  ) {
    const { tools } = connection;
    const names = task.tools ?? [...tools.keys()];
    const { solution, setup, check } = task;
    for (const name of names) this.#expectTool(name, 'tools');
    if (names.includes(finish))
      throw refuse(task, `tools: "${finish}" is how an episode ends; leave that tool out`);
    if (names.length > maxTools)
      throw refuse(task, `tools: the server has ${names.length}; name at most ${maxTools} of them`);
    this.offered = new Map(names.map((name) => [name, tools.get(name)!]));
    for (const call of setup.calls) this.#expectCall(call, 'setup.calls');
    for (const call of check.calls) this.#expectCall(call, 'check.calls');
    for (const call of solution?.calls ?? []) {
      this.#expectCall(call, 'solution.calls');
      if (!this.offered.has(call.tool))
        throw refuse(task, `solution.calls: "${call.tool}" is not among its tools`);
    }
  }

  /** Files and calls of the start. @throws where a call fails */
  async setUp(): Promise<void> {
    const { setup } = this.task;
    this.workspace?.write(setup.files);
    for (const call of setup.calls) {
      const { isError, text } = await this.call(call);
      if (isError)
        throw refuse(this.task, `setup.calls: ${call.tool} answered an error: ${text.slice(0, 200)}`);
    }
  }

  /** Calls a tool. @throws where the server fails */
  async call({ tool, arguments: given }: Call): Promise<CallResult> {
    await this.connection.checkTools(this.#needed());
    const args = (this.workspace?.revealAll(given) ?? given) as Call['arguments'];
    const answer = await this.connection.call(tool, args);
    const text = textOf(answer);
    return { text: this.workspace?.hide(text) ?? text, isError: answer.isError };
  }

  /** How much of the check holds. Without an answer only the state counts. */
  async measure(answer?: string): Promise<{ readonly met: number; readonly of: number }> {
    const { check } = this.task;
    let met = 0;
    for (const demand of check.calls) {
      const result = await this.call(demand);
      // an error is never what a task asks for
      if (!result.isError && meets(demand, result.text, demand.path)) met++;
    }
    for (const demand of check.files) met += this.#hasFile(demand) ? 1 : 0;
    if (check.answer !== undefined && answer !== undefined) met += answers(check.answer, answer) ? 1 : 0;
    return { met, of: check.calls.length + check.files.length + (check.answer === undefined ? 0 : 1) };
  }

  /** On a server that episodes share: what an earlier episode left must not earn a reward. @throws where it would */
  async expectStart(): Promise<void> {
    if (!isShared(this.task) || this.task.check.answer !== undefined) return;
    const { met, of } = await this.measure();
    if (met === of)
      throw refuse(
        this.task,
        'check: it holds after the setup, on a server that episodes share; the setup must restore the start, ' +
          'or say "state: own" where each connection has a state of its own',
      );
  }

  #hasFile(demand: Check['files'][number]): boolean {
    const { workspace } = this;
    if (workspace === undefined) return false;
    if (demand.exists === false) return !workspace.exists(demand.path);
    const text = workspace.read(demand.path);
    return text !== undefined && matches(demand, text, jsonOf(text));
  }

  /** Tools without which the task cannot be played or checked. */
  #needed(): Set<string> {
    return new Set([...this.offered.keys(), ...this.task.check.calls.map(({ tool }) => tool)]);
  }

  #expectTool(name: string, place: string): Tool {
    const tool = this.connection.tools.get(name);
    if (tool !== undefined) return tool;
    const known = [...this.connection.tools.keys()].slice(0, 30).join(', ');
    throw refuse(this.task, `${place}: the server has no tool "${name}"; it has ${known || 'none'}`);
  }

  #expectCall(call: Call, place: string): void {
    const misfit = findMisfit(this.#expectTool(call.tool, place), call.arguments);
    if (misfit !== undefined) throw refuse(this.task, `${place}: ${misfit}`);
  }
}

/** The error of a task that cannot be used. */
export function refuse(task: Task, finding: string): AppError {
  return new AppError('plugin.failed', `${task.place}: ${finding}`, { details: { task: task.id } });
}

function meets(demand: Matcher, text: string, path: string | undefined): boolean {
  if (path === undefined) return matches(demand, text, jsonOf(text));
  const found = follow(jsonOf(text), path);
  return (
    found !== undefined && matches(demand, typeof found === 'string' ? found : JSON.stringify(found), found)
  );
}

/** An answer is compared without outer space and without upper case, in the texts and keys of JSON, too. */
export function answers(demand: Matcher, answer: string): boolean {
  const lower = (text: string | undefined): string | undefined => text?.trim().toLowerCase();
  const { equals, contains, lacks, like } = demand;
  const text = lower(answer)!;
  return matches(
    {
      ...(equals !== undefined && { equals: typeof equals === 'string' ? lower(equals) : lowerAll(equals) }),
      contains: lower(contains),
      lacks: lower(lacks),
      like: lower(like),
    },
    text,
    lowerAll(jsonOf(text)),
  );
}

/** A session and what ends it. */
export interface OpenSession {
  readonly session: Session;
  close(): Promise<void>;
}

/**
 * Starts the server of a task, sets it up, and looks at the start of one that is shared; waits its turn where too many run.
 *
 * @param signal ends the attempt and what it started
 */
export async function openSession(
  task: Task,
  options: SessionOptions,
  signal: AbortSignal,
): Promise<OpenSession> {
  const { server } = task;
  const release =
    server.command !== undefined
      ? await takeProcessSlot(options.servers, signal)
      : server.url !== undefined && isShared(task)
        ? await takeTurn(server.url, signal)
        : () => undefined;
  let workspace: Workspace | undefined;
  let connection: Connection | undefined;
  const close = async (): Promise<void> => {
    try {
      await connection?.close();
    } finally {
      try {
        workspace?.close();
      } finally {
        workspace = undefined;
        release();
      }
    }
  };
  try {
    if (server.command !== undefined) workspace = new Workspace();
    else if (Object.keys(task.setup.files).length + task.check.files.length > 0)
      throw refuse(task, 'files need a server with a command, which is told their folder as {folder}');
    // the protocol's packages take a tenth of a second to load, which every process that only lists plugins would spend
    const { connect } = await import('./server/connection.js');
    connection = await connect(resolveServer(task, workspace?.folder ?? ''), options, signal);
    const session = new Session(task, connection, workspace);
    await session.setUp();
    await session.expectStart();
    signal.throwIfAborted();
    return { session, close };
  } catch (error) {
    // what failed first is told
    await close().catch(() => undefined);
    throw error;
  }
}

/** Fills in placeholders and variables of the environment. */
function resolveServer(task: Task, folder: string): ServerSpec {
  const { server, here } = task;
  const fill = (text: string): string => text.replaceAll('{folder}', folder).replaceAll('{here}', here);
  const variable = (name: string): string => {
    const value = process.env[name];
    if (value === undefined) throw refuse(task, `server: the variable ${name} is not set; set it`);
    return value;
  };
  return {
    name: server.name ?? server.builtIn ?? server.command ?? server.url ?? '',
    builtIn: server.builtIn,
    command: server.command === undefined ? undefined : fill(server.command),
    args: server.args.map(fill),
    environment: {
      ...Object.fromEntries(Object.entries(server.environment).map(([name, text]) => [name, fill(text)])),
      ...Object.fromEntries(server.environmentFrom.map((name) => [name, variable(name)])),
    },
    cwd: folder === '' ? here : folder,
    url: server.url,
    headers: Object.fromEntries(
      Object.entries(server.headersFrom).map(([name, from]) => [name, variable(from)]),
    ),
    protocol: server.protocol,
  };
}
