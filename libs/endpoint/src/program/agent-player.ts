/**
 * @file Plays the episodes of a run by agent programs: each rollout is a session, for which a program is started or which
 * one from outside opens. It ends with a posted reward; a program that ends without, or that never ends, has failed.
 */
import { AppError, type Tokenizer } from '@espalier/contracts';
import type { AgentProgram, UnscoredTrajectory } from '@espalier/plugin-kit';
import type { EpisodePlayer } from '@espalier/rollout/agents';
import { openEndpoint } from '../http/endpoint.js';
import type { AnsweringPolicy } from '../sample-replies.js';
import type { Session, SessionTerms } from '../sessions/session.js';
import { AgentProcess } from './agent-process.js';

export interface AgentPlayer {
  /** address of the endpoint */
  readonly url: string;
  /** Plays an episode; never throws. */
  readonly play: EpisodePlayer;
  close(): Promise<void>;
}

export interface AgentPlayerParts {
  readonly program: AgentProgram;
  readonly policy: AnsweringPolicy['policy'];
  readonly tokenizer: Tokenizer;
  readonly contextLength: number;
  readonly variables: Readonly<Record<string, unknown>>;
  /** name of the model in answers */
  readonly model: string;
}

/** A rollout that no program plays yet. */
interface Wanted {
  readonly terms: SessionTerms;
  readonly claim: (session: Session) => void;
}

/** More than all rollouts of a step: the run itself says how many there are. */
const maxSessions = 1_000_000;

/** Opens the endpoint of a run. @throws endpoint.unusable_address, endpoint.unauthorized */
export async function openAgentPlayer({
  program,
  model,
  ...answering
}: AgentPlayerParts): Promise<AgentPlayer> {
  const { command, host, port, keyVariable, sessionTimeoutMs, idleTimeoutMs } = program;
  const wanted: Wanted[] = [];
  const claims = new WeakMap<SessionTerms, Wanted>();
  const apiKey = keyVariable === undefined ? undefined : readKey(keyVariable);
  const endpoint = await openEndpoint({
    answering,
    model,
    host,
    port,
    apiKey,
    maxSessions,
    idleTimeoutMs,
    opensByCall: false,
    needsSession: true,
    admit: () => {
      const next = wanted.shift();
      if (next !== undefined) {
        claims.set(next.terms, next);
        return next.terms;
      }
      throw new AppError(
        'session.none_wanted',
        command === undefined
          ? 'open a session: the run waits for no rollout now, it may be learning; ask again in a second'
          : 'open a session: the run starts its agents itself (command), and opens their sessions; call below the address in OPENAI_BASE_URL',
      );
    },
    onOpen: (session) => claims.get(session.terms)?.claim(session),
  });

  async function obtain(terms: SessionTerms, signal: AbortSignal): Promise<Session | undefined> {
    if (command !== undefined) return endpoint.sessions.open(terms);
    return new Promise((resolve) => {
      const entry = { terms, claim: resolve };
      const leave = (): void => {
        const at = wanted.indexOf(entry);
        if (at >= 0) wanted.splice(at, 1);
        resolve(undefined);
      };
      signal.addEventListener('abort', leave, { once: true });
      wanted.push(entry);
      if (signal.aborted) leave();
    });
  }

  return {
    url: endpoint.url,
    close: () => endpoint.close(),
    async play({ signal, ...terms }) {
      const session = signal.aborted ? undefined : await obtain(terms, signal);
      if (session === undefined) return cancelled(terms);
      const stop = (): void => session.fail({ stopReason: 'cancelled', error: 'the run stopped' });
      signal.addEventListener('abort', stop, { once: true });
      const timer = setTimeout(
        () => session.fail({ stopReason: 'timeout', error: late(sessionTimeoutMs) }),
        sessionTimeoutMs,
      );
      const agent =
        command === undefined
          ? undefined
          : new AgentProcess(program, variablesOf(session, endpoint.url, model, apiKey));
      void agent?.ended.then((how) =>
        session.fail({ stopReason: 'error', error: `${how}; it posted no reward` }),
      );
      const trajectory = await session.ended;
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (trajectory.stopReason !== 'success' && trajectory.stopReason !== 'failure') agent?.kill();
      await agent?.finish();
      return trajectory;
    },
  };
}

const late = (limitMs: number): string =>
  `the session had no reward after ${limitMs} ms (environment.sessionTimeoutMs)`;

function readKey(variable: string): string {
  const key = process.env[variable];
  if (key !== undefined && key !== '') return key;
  throw new AppError(
    'endpoint.unauthorized',
    `environment.keyVariable ${variable}: this variable is not set; set it to the key that agents send`,
  );
}

/** What a program is told. */
function variablesOf(
  { id, terms }: Session,
  url: string,
  model: string,
  apiKey: string | undefined,
): Record<string, string> {
  const session = `${url}/sessions/${id}`;
  const { seeds, split, step, group, index } = terms.rollout;
  const key = apiKey ?? 'espalier';
  return {
    OPENAI_BASE_URL: `${session}/v1`,
    OPENAI_API_KEY: key,
    ANTHROPIC_BASE_URL: session,
    ANTHROPIC_API_KEY: key,
    ESPALIER_SESSION_URL: session,
    ESPALIER_REWARD_URL: `${session}/reward`,
    ESPALIER_SESSION: id,
    ESPALIER_API_KEY: key,
    ESPALIER_MODEL: model,
    ESPALIER_TASK_SEED: String(seeds.state),
    ESPALIER_NOISE_SEED: String(seeds.noise),
    ESPALIER_SPLIT: split,
    ESPALIER_STEP: String(step),
    ESPALIER_GROUP: String(group),
    ESPALIER_INDEX: String(index),
  };
}

/** A rollout that never began. */
function cancelled({ rollout }: SessionTerms): UnscoredTrajectory {
  const { environment, tag, level, split, step, group, index, seeds } = rollout;
  const none = new Float32Array(0);
  return {
    id: `${split}/${step}/${group}/${index}`,
    environment,
    ...(tag === undefined ? {} : { environmentTag: tag }),
    ...(level === undefined ? {} : { level }),
    split,
    step,
    group,
    index,
    seeds,
    tokens: new Int32Array(0),
    logprobs: none,
    entropies: none,
    textEnds: new Int32Array(0),
    spans: [],
    turns: [],
    stopReason: 'cancelled',
    success: false,
    labels: [],
    timings: { totalMs: 0 },
  };
}
