/**
 * @file A person in an environment: what a typed word means, and what it changes. Reading and printing are elsewhere.
 */
import type { EnvironmentInstance, Observation } from '@espalier/plugin-kit';

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
  /** Goes back by one action, by playing those before it again; false when there is none. */
  undo(): Promise<boolean>;
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
  let seed = 0;
  let outcome: PlaySession['outcome'];
  let taken: readonly string[] = [];
  return {
    get observation() {
      return observation;
    },
    get earned() {
      return earned;
    },
    get actions() {
      return taken.length;
    },
    get outcome() {
      return outcome;
    },
    async restart(from) {
      seed = from;
      observation = await instance.reset({ state: seed, noise: seed });
      earned = 0;
      outcome = undefined;
      taken = [];
    },
    async act(action) {
      const result = await instance.step(action);
      observation = result.observation;
      earned += result.reward;
      taken = [...taken, action];
      if (result.done) outcome = result.success ? 'success' : 'failure';
      const remark = result.valid ? (result.effective ? '' : ', nothing changed') : ', not a legal action';
      return `${action}: reward ${Number(result.reward.toFixed(6))}${remark}`;
    },
    async undo() {
      if (taken.length === 0) return false;
      const again = taken.slice(0, -1);
      await this.restart(seed);
      for (const action of again) await this.act(action);
      return true;
    },
  };
}
