/**
 * @file A person in an environment: what a typed word means, and what it changes. Reading and printing are elsewhere.
 */
import type { EnvironmentInstance, Observation } from '@espalier/plugin-kit';

/** A moment one can come back to. */
interface Moment {
  readonly snapshot: unknown;
  readonly observation: Observation;
  readonly earned: number;
  readonly actions: number;
}

export interface PlaySession {
  readonly observation: Observation;
  /** sum of rewards */
  readonly earned: number;
  readonly actions: number;
  /** set when the episode has ended */
  readonly outcome: 'success' | 'failure' | undefined;
  /** Starts again from a seed. */
  restart(seed: number): Promise<void>;
  /** Takes an action; returns what to say about it. */
  act(action: string): Promise<string>;
  /** Goes back by one action; false when that is impossible. */
  undo(): boolean;
}

/** Tells whether the place of an action in the list names it too: not where a name is a number itself. */
function hasNumbers(actions: readonly string[]): boolean {
  return !actions.some((action) => /^\d/.test(action));
}

/** Writes the actions as a person can type them: `1 Up  2 Down`, or only the names where these are numbers. */
export function describeActions(actions: readonly string[] | undefined): string {
  if (actions === undefined) return 'any text';
  return actions.map((name, index) => (hasNumbers(actions) ? `${index + 1} ${name}` : name)).join('  ');
}

/** Finds the action that a word means: its name in any case, its number, or the beginning of only one name. */
export function matchAction(word: string, actions: readonly string[] | undefined): string | undefined {
  if (actions === undefined) return word;
  const wanted = word.trim().toLowerCase();
  const exact = actions.find((action) => action.toLowerCase() === wanted);
  if (/^\d+$/.test(wanted) && hasNumbers(actions)) return actions[Number(wanted) - 1];
  const beginning = actions.filter((action) => action.toLowerCase().startsWith(wanted));
  return exact ?? (wanted !== '' && beginning.length === 1 ? beginning[0] : undefined);
}

/** Creates a session; call `restart` before anything else. */
export function createPlaySession(instance: EnvironmentInstance): PlaySession {
  let observation: Observation = { text: '', stateKey: '' };
  let earned = 0;
  let actions = 0;
  let outcome: PlaySession['outcome'];
  let past: Moment[] = [];
  return {
    get observation() {
      return observation;
    },
    get earned() {
      return earned;
    },
    get actions() {
      return actions;
    },
    get outcome() {
      return outcome;
    },
    async restart(seed) {
      observation = await instance.reset({ state: seed, noise: seed });
      earned = 0;
      actions = 0;
      outcome = undefined;
      past = [];
    },
    async act(action) {
      if (instance.snapshot !== undefined)
        past.push({ snapshot: instance.snapshot(), observation, earned, actions });
      const result = await instance.step(action);
      observation = result.observation;
      earned += result.reward;
      actions += 1;
      if (result.done) outcome = result.success ? 'success' : 'failure';
      const remark = result.valid ? (result.effective ? '' : ', nothing changed') : ', not a legal action';
      return `${action}: reward ${Number(result.reward.toFixed(6))}${remark}`;
    },
    undo() {
      const moment = past.at(-1);
      if (moment === undefined || instance.restore === undefined) return false;
      past = past.slice(0, -1);
      instance.restore(moment.snapshot);
      ({ observation, earned, actions } = moment);
      outcome = undefined;
      return true;
    },
  };
}
