/**
 * @file One block of hostile strings, played by two instances at once: what one answers, the other must answer too, although
 * it is told nothing of refused strings, and although it is replaced halfway by one restored from a snapshot. A third
 * instance plays a quiet game beside them.
 */
import { isDeepStrictEqual } from 'node:util';
import { isAppError } from '@espalier/contracts';
import type { EnvironmentInstance, Observation, StepResult } from '@espalier/plugin-kit';
import { createStream, type RandomStream } from '@espalier/random';
import { cpuMsSince } from '../tally.js';
import { drawAction } from './draw-action.js';
import { drawValid, type Grammar } from './grammar.js';
import type { QuietGame } from './quiet.js';
import type { Subject } from './subject.js';

export interface BlockEvents {
  /** a string starts, which must not go on without end; the first also resets */
  begin(place: number): void;
  end(): void;
  count(place: number, outcome: 'accepted' | 'refused' | 'neither', ms: number): void;
}

export interface Prepared {
  readonly params: unknown;
  readonly grammar: Grammar;
  readonly quiet: QuietGame;
}

export interface BlockFailure {
  readonly place: number;
  readonly finding: string;
  /** seeds and actions since the last reset */
  readonly played: readonly unknown[];
}

/** Limit of CPU time per string, in milliseconds. */
export const maxStringMs = 50;
/** Longest observation after any string, in characters. */
const maxText = 80_000;
/** Largest snapshot, in characters of JSON. */
const maxSnapshot = 200_000;
/** Every so many strings one may start a program or end a process, and hooks for people and rewards are called. */
const seldom = 512;
const sometimes = 16;

/** Plays a block; gives the first string that breaks a rule. */
export async function playBlock(
  subject: Subject,
  prepared: Prepared,
  seed: number,
  events: BlockEvents,
): Promise<BlockFailure | undefined> {
  const block = new Block(subject, prepared, createStream(seed));
  let place = 0;
  try {
    events.begin(0);
    await block.reset();
    for (; place < subject.strings; place++) await block.playString(place, events);
    events.end();
    return undefined;
  } catch (error) {
    events.end();
    const finding = error instanceof Finding ? error.message : describe(error);
    return { place, finding, played: block.played };
  } finally {
    await block.close();
  }
}

/** A rule that is broken. */
class Finding extends Error {}

type Outcome = { readonly result: StepResult } | { readonly refused: string };

class Block {
  played: unknown[] = [];
  #left: EnvironmentInstance;
  #right: EnvironmentInstance;
  #observation!: Observation;
  #plan: string[] = [];
  /** strings until a costly one may be played */
  #wait: number;

  constructor(
    readonly subject: Subject,
    readonly prepared: Prepared,
    readonly stream: RandomStream,
  ) {
    this.#left = subject.definition.create(prepared.params);
    this.#right = subject.definition.create(prepared.params);
    this.#wait = stream.int(seldom);
  }

  /** A seed whose plan is known, or one in eight times another. */
  async reset(): Promise<void> {
    const { stream } = this;
    const { plans } = this.prepared.grammar;
    const state = stream.int(8) === 0 ? 1000 + stream.int(1000) : stream.int(plans.size);
    const seeds = { state, noise: stream.int(1000) };
    this.played = [seeds];
    this.#plan = [...(plans.get(state) ?? [])];
    this.#observation = await this.#settle(this.#left.reset(seeds), 'reset()');
    expectEqual(await this.#settle(this.#right.reset(seeds), 'reset()'), this.#observation, 'reset');
  }

  async playString(place: number, events: BlockEvents): Promise<void> {
    const action = this.#draw();
    const isCostly = this.#isCostly(action);
    if (isCostly) this.#wait = seldom;
    this.#wait -= 1;
    this.played.push(action);
    events.begin(place);
    const first = await this.#take(this.#left, action);
    const second = await this.#take('refused' in first.outcome ? this.#left : this.#right, action);
    expectEqual(second.outcome, first.outcome, `the answer to ${show(action)} of a second instance`);
    // what else the process does in between is hardly in both
    const ms = isCostly ? 0 : Math.min(first.ms, second.ms);
    if (ms > maxStringMs)
      throw new Finding(`${show(action)} took ${ms.toFixed(0)} ms; at most ${maxStringMs} are allowed`);
    const { outcome } = first;
    events.count(place, 'result' in outcome && outcome.result.valid ? 'accepted' : 'refused', ms);
    if ('result' in outcome) await this.#follow(action, outcome.result);
    if (place % sometimes === 0) await this.#look();
    if (place === this.subject.strings >> 1) await this.#replace();
  }

  /** The next string; one that is costly only when it is its turn. */
  #draw(): string {
    const { stream } = this;
    const valid = (): string | undefined =>
      stream.int(2) === 0 && this.#plan.length > 0
        ? this.#plan[0]
        : drawValid(this.#left, this.#observation, stream.word());
    for (let attempt = 0; attempt < 20; attempt++) {
      const action = drawAction(stream, this.prepared.grammar, valid, () => this.#observation.text);
      if (this.#wait <= 0 || !this.#isCostly(action)) return action;
    }
    return '';
  }

  #isCostly(action: string): boolean {
    return this.subject.isCostly(action, () => this.#left.facts?.() ?? {});
  }

  async #follow(action: string, result: StepResult): Promise<void> {
    const { done, success, observation } = result;
    if (success && !done) throw new Finding(`${show(action)} succeeds, and the episode goes on`);
    if (observation.text.length > maxText)
      throw new Finding(`${show(action)} is answered with ${observation.text.length} characters`);
    this.#observation = observation;
    if (action === this.#plan[0]) this.#plan.shift();
    if (done) await this.reset();
  }

  /** What is called between steps must not fail after hostile strings, and the quiet game must be as it was. */
  async #look(): Promise<void> {
    const { definition } = this.subject;
    expectEqual(this.#right.render(), this.#left.render(), 'render() of a second instance');
    expectEqual(this.#right.facts?.(), this.#left.facts?.(), 'facts() of a second instance');
    if (definition.reads?.(this.prepared.params).plans !== false) this.#left.oracle?.();
    const finding = await this.prepared.quiet.advance();
    if (finding !== undefined) throw new Finding(finding);
  }

  /** Puts an instance in place of the second that knows the game from a snapshot only. */
  async #replace(): Promise<void> {
    if (this.#left.snapshot === undefined || this.#right.restore === undefined) return;
    const json = JSON.stringify(this.#left.snapshot());
    if (json.length > maxSnapshot) throw new Finding(`the snapshot has ${json.length} characters`);
    const rendered = this.#left.render();
    const restored = this.subject.definition.create(this.prepared.params);
    await this.#right.close?.();
    this.#right = restored;
    restored.restore!(JSON.parse(json));
    expectEqual(restored.render(), rendered, 'render() of a restored instance');
  }

  /** Takes a step; a refusal is the only error that is no failure. */
  async #take(instance: EnvironmentInstance, action: string): Promise<{ outcome: Outcome; ms: number }> {
    const begin = process.cpuUsage();
    try {
      const result = await this.#settle(instance.step(action), show(action));
      return { outcome: { result }, ms: cpuMsSince(begin) };
    } catch (error) {
      const ms = cpuMsSince(begin);
      if (error instanceof Finding) throw error;
      const cause = isAppError(error) ? error.cause : undefined;
      if (isAppError(cause) && cause.code === 'plugin.unknown_action')
        return { outcome: { refused: cause.message }, ms };
      throw new Finding(`${show(action)} threw ${describe(error)}`);
    }
  }

  /** Waits for a promise, but not for ever. */
  async #settle<T>(given: T | Promise<T>, what: string): Promise<T> {
    if (!(given instanceof Promise)) return given;
    const { patienceMs } = this.subject;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const finding = new Finding(`${what} was not answered within ${patienceMs} ms`);
      timer = setTimeout(() => reject(finding), patienceMs);
    });
    return Promise.race([given, late]).finally(() => clearTimeout(timer));
  }

  async close(): Promise<void> {
    await this.#left.close?.();
    await this.#right.close?.();
  }
}

function expectEqual(found: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Finding(`${what} is ${show(found)}; expected ${show(expected)}`);
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message).slice(0, 3000) : String(error);

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}
