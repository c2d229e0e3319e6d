/** @file /sessions: opened, looked at, rewarded, ended, and read back as trajectories. */
import { AppError } from '@espalier/contracts';
import { z } from 'zod';
import { parseBody } from '../dialects/dialect.js';
import type { Session } from '../sessions/session.js';
import type { SessionStore } from '../sessions/session-store.js';

const opening = z
  .strictObject({
    id: z.string().optional(),
    seed: z.int().min(0).max(4294967295).optional(),
  })
  .default({});

export type SessionRequest = z.output<typeof opening>;

const metrics = z.record(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/), z.number()).optional();
const rewarding = z.strictObject({ reward: z.number(), success: z.boolean().optional(), metrics });
const rewardingCall = z.strictObject({
  reward: z.number(),
  metrics: metrics.default({}),
  choice: z.int().min(0).default(0),
});

export interface SessionRoutesParts {
  readonly sessions: SessionStore;
  /** opens what a client asks for; throws where it may not */
  readonly open: (request: SessionRequest) => Session;
  /** writes a trajectory as it is stored */
  readonly encode: ((session: Session) => Promise<string>) | undefined;
}

export interface RouteAnswer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Answers a request below /sessions.
 *
 * @param base address of the endpoint as the client knows it
 */
export async function answerSessions(
  parts: SessionRoutesParts,
  { method, path, body, base }: { method: string; path: readonly string[]; body: unknown; base: string },
): Promise<RouteAnswer> {
  const { sessions } = parts;
  const [id, action] = path;
  const what = `${method} ${action ?? ''}`.trim();
  if (id === undefined && what === 'POST')
    return { status: 201, body: describe(parts.open(parseBody(opening, body ?? {})), base) };
  if (id === undefined && what === 'GET')
    return { status: 200, body: { sessions: sessions.list().map((one) => describe(one, base)) } };
  if (path.length > 2 && action !== 'calls') throw noRoute(method, path);
  if (id !== undefined && what === 'GET') return { status: 200, body: describe(sessions.get(id), base) };
  if (id !== undefined && what === 'DELETE') {
    const session = sessions.get(id);
    session.assertOpen('delete');
    session.fail({ stopReason: 'error', error: `session ${id} was deleted before it had a reward` });
    return { status: 200, body: describe(session, base) };
  }
  if (id !== undefined && what === 'POST reward') {
    const session = sessions.get(id);
    const trajectory = session.reward(parseBody(rewarding, body));
    const windows = Math.max(1, trajectory.windows?.length ?? 1);
    return { status: 200, body: { ...describe(session, base), turns: trajectory.turns.length, windows } };
  }
  if (
    id !== undefined &&
    method === 'POST' &&
    action === 'calls' &&
    path.length === 4 &&
    path[3] === 'reward'
  ) {
    const { choice, ...given } = parseBody(rewardingCall, body);
    const call = sessions.get(id).rewardCall(path[2] ?? '', choice, given);
    return { status: 200, body: { id: call.id, choice, reward: given.reward } };
  }
  if (id !== undefined && what === 'GET trajectory' && parts.encode !== undefined) {
    const session = sessions.get(id);
    if (session.state === 'open')
      throw new AppError(
        'session.not_ended',
        `trajectory of session ${id}: it has not ended; post its reward first`,
      );
    return { status: 200, body: JSON.parse(await parts.encode(session)) as unknown };
  }
  throw noRoute(method, path);
}

const noRoute = (method: string, path: readonly string[]): AppError =>
  new AppError(
    'endpoint.not_found',
    `${method} /sessions/${path.join('/')}: there is no such route; see docs/use/agents.md`,
  );

function describe(session: Session, base: string): object {
  const { id, state, idleMs, counts } = session;
  const { split, step, group, index, seeds } = session.terms.rollout;
  const url = `${base}/sessions/${id}`;
  return {
    id,
    state,
    calls: counts.calls,
    sampled_tokens: counts.sampledTokens,
    idle_ms: idleMs,
    base_url: `${url}/v1`,
    anthropic_base_url: url,
    reward_url: `${url}/reward`,
    task: { seed: seeds.state, noise: seeds.noise, split, step, group, index },
  };
}
