/**
 * @file The rules of the two-armed bandit: one pull and the episode is over. The low arm always pays the same; the
 * high arm pays rarely, but more on average. Success = the high arm was chosen, whatever it paid.
 * Draws are those of the reference (test/golden/bandit) when noise = state.
 */
import {
  type EnvironmentInstance,
  NumpyGenerator,
  type NumpyGeneratorState,
  type Observation,
  type StepResult,
  unknownAction,
} from '@espalier/plugin-kit';
import { type ArmPair } from './arms.js';

export interface Payouts {
  readonly low: number;
  readonly highMiss: number;
  readonly highHit: number;
  readonly hitProbability: number;
}

export interface BanditRules extends Payouts {
  /** one pair, or several to draw from */
  readonly pairs: readonly ArmPair[];
}

interface Snapshot {
  readonly shown: readonly [string, string];
  readonly better: string;
  readonly pulled: string;
  readonly text: string;
  readonly noise: NumpyGeneratorState;
}

/** A pair in the order in which it is shown, with its texts: written once for all episodes. */
interface Table {
  readonly shown: readonly [string, string];
  readonly better: string;
  readonly arms: string;
  readonly text: string;
}

function layTable(shown: readonly [string, string], better: string): Table {
  return { shown, better, arms: `${shown[0]} | ${shown[1]}`, text: promptText(shown) };
}

/** Creates one machine; `reset` names its arms and their order. */
export function createBandit(rules: BanditRules): EnvironmentInstance {
  const tables = rules.pairs.map(([low, high]): readonly [Table, Table] => [
    layTable([low, high], high),
    layTable([high, low], high),
  ]);
  let noise = new NumpyGenerator(0);
  let shown: readonly [string, string] = ['', ''];
  let better = '';
  let pulled = '';
  let text = '';
  let arms = '';

  const observe = (): Observation => ({
    text,
    actions: shown,
    stateKey: pulled === '' ? arms : `${arms} > ${text}`,
  });

  return {
    reset: (seeds) => {
      const random = new NumpyGenerator(seeds.state);
      const draws = rules.pairs.length > 1 ? 2 : 1;
      const orders = tables[draws === 1 ? 0 : Math.floor(random.random() * tables.length)]!;
      ({ shown, better, arms, text } = orders[random.random() < 0.5 ? 0 : 1]);
      pulled = '';
      // the reference made its choices from the stream of the noise
      noise = random;
      if (seeds.noise !== seeds.state) {
        noise = new NumpyGenerator(seeds.noise);
        for (let draw = 0; draw < draws; draw++) noise.random();
      }
      return observe();
    },
    step: (action): StepResult => {
      if (!shown.includes(action)) throw unknownAction(action, shown);
      const success = action === better;
      const hit = noise.random() < rules.hitProbability;
      const reward = !success ? rules.low : hit ? rules.highHit : rules.highMiss;
      pulled = action;
      text = `${action}: ${reward} points`;
      return { observation: observe(), reward, done: true, success, valid: true, effective: true };
    },
    render: () => (pulled === '' ? `[ ${shown[0]} ]  [ ${shown[1]} ]` : text),
    oracle: () => [better],
    explain: (plan) => `${shown[0]} or ${shown[1]}. try ${plan[0] ?? better}.`,
    facts: () => ({ arms: [...shown], better, pulled }),
    snapshot: (): Snapshot => ({ shown, better, pulled, text, noise: noise.state() }),
    restore: (snapshot) => {
      const saved = snapshot as Snapshot;
      ({ shown, better, pulled, text } = saved);
      arms = `${shown[0]} | ${shown[1]}`;
      noise.restore(saved.noise);
    },
  };
}

function promptText([first, second]: readonly [string, string]): string {
  return [
    'You play a bandit game. Collect as many points as you can.',
    `1. There are 2 arms, named ${first} and ${second}.`,
    '2. Each arm pays points by its own distribution, and its name is a hint at that distribution.',
    '3. Think about what the names stand for and what they may pay.',
    `4. Then choose one arm, such as <answer>${first}</answer> or <answer>${second}</answer>.`,
  ].join('\n');
}
