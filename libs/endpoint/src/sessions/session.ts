/** @file One session: an agent's calls from its start to its reward. */
import { AppError, type SamplingParams, type StopReason, type Tokenizer } from '@espalier/contracts';
import type { UnscoredTrajectory } from '@espalier/plugin-kit';
import { deriveSeed } from '@espalier/random';
import { type Call, type CallReward, type NewCall, placeCall } from './call.js';
import { joinCalls, type SessionRollout } from './trajectory.js';

/** What holds for a session beside what its calls ask for. */
export interface SessionTerms {
  readonly rollout: SessionRollout;
  /** takes the place of what calls ask for; `maxTokens` is their most */
  readonly sampling?: Pick<SamplingParams, 'temperature' | 'topP' | 'topK' | 'maxTokens'> | undefined;
  /** most tokens of a prompt and its reply */
  readonly contextTokens?: number | undefined;
  readonly maxCalls?: number | undefined;
}

export interface PostedReward {
  readonly reward: number;
  /** default: whether the sum of all rewards is above 0 */
  readonly success?: boolean | undefined;
  readonly metrics?: Readonly<Record<string, number>> | undefined;
}

/** How a session ended without a reward. */
export interface SessionFailure {
  readonly stopReason: Extract<StopReason, 'error' | 'timeout' | 'cancelled'>;
  readonly error: string;
}

/** The present of a session. */
export type SessionState = 'open' | StopReason;

export class Session {
  readonly calls: Call[] = [];
  /** settles when the session has its reward, or has ended without */
  readonly ended: Promise<UnscoredTrajectory>;
  #state: SessionState = 'open';
  #finish: (trajectory: UnscoredTrajectory) => void = () => undefined;
  #running = 0;
  #lastActive = Date.now();
  #asked = 0;
  readonly #started = Date.now();
  readonly #abort = new AbortController();
  readonly #idle: string[] = [];
  #sequences = 0;

  constructor(
    readonly id: string,
    readonly terms: SessionTerms,
    private readonly parts: {
      readonly tokenizer: Tokenizer;
      readonly release: (names: readonly string[]) => void;
    },
  ) {
    this.ended = new Promise((resolve) => (this.#finish = resolve));
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Aborts when the session ends: what is still sampled for it is of no use. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** How long nothing has been asked, in milliseconds; 0 while something is sampled. */
  get idleMs(): number {
    return this.#running > 0 ? 0 : Date.now() - this.#lastActive;
  }

  /** Calls begun and tokens sampled. */
  get counts(): { readonly calls: number; readonly sampledTokens: number } {
    const sampledTokens = this.calls.reduce((sum, { sample }) => sum + sample.tokens.length, 0);
    return { calls: this.#asked, sampledTokens };
  }

  /**
   * Begins a call.
   *
   * @returns the seed of its replies
   * @throws session.ended, session.call_limit
   */
  begin(): { readonly seed: number; readonly environmentMs: number } {
    this.assertOpen('call');
    const { maxCalls = Infinity, rollout } = this.terms;
    if (this.#asked >= maxCalls)
      throw new AppError(
        'session.call_limit',
        `call in session ${this.id}: it has made its ${maxCalls} calls; post its reward, or raise environment.maxCalls`,
      );
    const environmentMs = this.idleMs;
    this.#running += 1;
    this.#asked += 1;
    return { seed: deriveSeed(rollout.seeds.sampling, 'call', this.#asked - 1), environmentMs };
  }

  /** Ends what {@link begin} began. */
  end(): void {
    this.#running -= 1;
    this.#lastActive = Date.now();
  }

  add(call: NewCall): Call {
    const placed = placeCall(call, this.calls);
    this.calls.push(placed);
    return placed;
  }

  /** Leaves a reply out that the agent never got, unless something continues it. */
  drop(call: Call): void {
    if (!this.calls.some(({ parent }) => parent === call)) call.isDropped = true;
  }

  /** A request that is sent again takes the place of the first: its reply was lost. */
  replace(prompt: Int32Array): void {
    for (const call of this.calls)
      if (call.prompt.length === prompt.length && call.prompt.every((id, at) => prompt[at] === id))
        this.drop(call);
  }

  /** The cached sequence that a prompt continues, or a new one; given back by {@link giveBack}. */
  takeSequence(parent: Call | undefined, tails: ReadonlyMap<string, Call>): string {
    const at = this.#idle.findIndex((name) => parent !== undefined && tails.get(name) === parent);
    const [found] = at < 0 ? [] : this.#idle.splice(at, 1);
    // what is cached for another branch is computed again if it goes on
    this.parts.release(this.#idle.splice(0));
    return found ?? `session/${this.id}/${this.#sequences++}`;
  }

  giveBack(name: string): void {
    if (this.#state === 'open') this.#idle.push(name);
    else this.parts.release([name]);
  }

  /**
   * Rewards one reply; the session goes on.
   *
   * @param id of its answer; "last": the newest one
   * @throws session.ended, session.call_not_found, session.already_rewarded
   */
  rewardCall(id: string, choice: number, reward: CallReward): Call {
    this.assertOpen('reward a call');
    const kept = this.calls.filter(({ isDropped }) => !isDropped);
    const wanted = id === 'last' ? kept.at(-1)?.id : id;
    const call = kept.find((one) => one.id === wanted && one.choice === choice);
    if (call === undefined)
      throw new AppError(
        'session.call_not_found',
        `reward call ${JSON.stringify(id.slice(0, 80))}, choice ${choice}, in session ${this.id}: it has no such reply, or the reply was never taken or asked for again; name the id of an answer, or "last"`,
      );
    if (call.reward !== undefined)
      throw new AppError(
        'session.already_rewarded',
        `reward call ${call.id} in session ${this.id}: it has its reward already, which stays as it is`,
      );
    call.reward = reward;
    return call;
  }

  /**
   * Ends the session with its reward, which is added to what its calls were given.
   *
   * @throws session.already_rewarded, session.ended, session.no_calls
   */
  reward({ reward, success, metrics = {} }: PostedReward): UnscoredTrajectory {
    if (this.#state === 'success' || this.#state === 'failure')
      throw new AppError(
        'session.already_rewarded',
        `reward session ${this.id}: it has its reward already, which stays as it is; open a session for each episode`,
      );
    this.assertOpen('reward');
    const kept = this.calls.filter(({ isDropped }) => !isDropped);
    if (kept.length === 0)
      throw new AppError(
        'session.no_calls',
        `reward session ${this.id}: nothing was sampled in it; call the model with the base URL or key of this session first`,
      );
    const sum = kept.reduce((total, call) => total + (call.reward?.reward ?? 0), reward);
    return this.#close({ stopReason: (success ?? sum > 0) ? 'success' : 'failure', reward, metrics });
  }

  /** Ends the session without a reward; does nothing to one that has ended. */
  fail({ stopReason, error }: SessionFailure): void {
    if (this.#state === 'open') this.#close({ stopReason, reward: 0, metrics: {}, error });
  }

  /** @throws session.ended */
  assertOpen(operation: string): void {
    if (this.#state === 'open') return;
    throw new AppError(
      'session.ended',
      `${operation} in session ${this.id}: it has ended (${this.#state}); open another one`,
    );
  }

  #close(outcome: {
    stopReason: StopReason;
    reward: number;
    metrics: Readonly<Record<string, number>>;
    error?: string;
  }): UnscoredTrajectory {
    this.#state = outcome.stopReason;
    this.#abort.abort();
    this.parts.release(this.#idle.splice(0));
    const trajectory = joinCalls(this.parts.tokenizer, this.calls, this.terms.rollout, {
      ...outcome,
      totalMs: Date.now() - this.#started,
    });
    this.#finish(trajectory);
    return trajectory;
  }
}
