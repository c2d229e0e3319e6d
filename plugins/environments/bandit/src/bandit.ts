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

/** What an arm paid, with its texts. */
interface Pull {
  readonly reward: number;
  readonly text: string;
  readonly stateKey: string;
}

/** A pair in the order in which it is shown, with its texts: written once for all episodes. */
interface Table {
  readonly shown: readonly [string, string];
  readonly better: string;
  readonly arms: string;
  readonly text: string;
  readonly low: Pull;
  readonly miss: Pull;
  readonly hit: Pull;
}

function layTable(shown: readonly [string, string], [low, high]: ArmPair, rules: BanditRules): Table {
  const arms = shown.join(' | ');
  const pull = (arm: string, reward: number): Pull => {
    const text = `${arm}: ${reward} points`;
    return { reward, text, stateKey: `${arms} > ${text}` };
  };
  return {
    shown,
    better: high,
    arms,
    text: promptText(shown),
    low: pull(low, rules.low),
    miss: pull(high, rules.highMiss),
    hit: pull(high, rules.highHit),
  };
}

/** Creates one machine; `reset` names its arms and their order. */
export function createBandit(rules: BanditRules): EnvironmentInstance {
  const tables = rules.pairs.map(([low, high]): readonly [Table, Table] => [
    layTable([low, high], [low, high], rules),
    layTable([high, low], [low, high], rules),
  ]);
  const random = new NumpyGenerator(0);
  const ownNoise = new NumpyGenerator(0);
  let noise = random;
  let [[table]] = tables as [[Table, Table]];
  let pulled = '';
  let text = '';
  let stateKey = '';

  const observe = (): Observation => ({ text, actions: table.shown, stateKey });

  return {
    reset: (seeds) => {
      random.seed(seeds.state);
      const draws = rules.pairs.length > 1 ? 2 : 1;
      const orders = tables[draws === 1 ? 0 : Math.floor(random.random() * tables.length)]!;
      table = orders[random.random() < 0.5 ? 0 : 1];
      pulled = '';
      ({ text, arms: stateKey } = table);
      // the reference made its choices from the stream of the noise
      noise = random;
      if (seeds.noise !== seeds.state) {
        noise = ownNoise;
        noise.seed(seeds.noise);
        for (let draw = 0; draw < draws; draw++) noise.random();
      }
      return observe();
    },
    step: (action): StepResult => {
      if (!table.shown.includes(action)) throw unknownAction(action, table.shown);
      const success = action === table.better;
      const isHit = noise.random() < rules.hitProbability;
      const pull = !success ? table.low : isHit ? table.hit : table.miss;
      pulled = action;
      ({ text, stateKey } = pull);
      return {
        observation: observe(),
        reward: pull.reward,
        done: true,
        success,
        valid: true,
        effective: true,
      };
    },
    render: () => (pulled === '' ? `[ ${table.shown[0]} ]  [ ${table.shown[1]} ]` : text),
    oracle: () => [table.better],
    explain: (plan) => `${table.shown[0]} or ${table.shown[1]}. try ${plan[0] ?? table.better}.`,
    facts: () => ({ arms: [...table.shown], better: table.better, pulled }),
    snapshot: (): Snapshot => ({
      shown: table.shown,
      better: table.better,
      pulled,
      text,
      noise: noise.state(),
    }),
    restore: (snapshot) => {
      const saved = snapshot as Snapshot;
      const { shown, better } = saved;
      table = layTable(shown, [shown[0] === better ? shown[1] : shown[0], better], rules);
      ({ pulled, text } = saved);
      stateKey = pulled === '' ? table.arms : `${table.arms} > ${text}`;
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
