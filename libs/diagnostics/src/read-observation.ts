/** @file The inputs of the rules, from the metrics of a run. */
import { metricsOfInput } from '@espalier/contracts/health';
import type { InputValues, Observation } from './observation.js';

/** The metrics that the inputs are read from. */
export const observedMetrics = [
  'rollout/success_rate',
  'rollout/reward_std',
  'rollout/entropy',
  'policy/gradient_norm',
  'rollout/reasoning_length',
  'rollout/response_length',
  'rollout/format_valid_share',
  'monitor/distinct_2',
  'monitor/self_bleu',
  'policy/approx_kl',
  'monitor/mi_sequence',
  'monitor/probe_kl',
] as const;

/** The inputs that each environment of a run in several has, too. */
const inputsOfTag = ['success', 'rewardDeviation', 'validFormat'] as const;

/**
 * Picks the inputs of the rules from a row of metrics; those that the row lacks are absent.
 *
 * @param tags of a run in several environments
 */
export function readObservation(
  step: number,
  row: Readonly<Record<string, number>>,
  tags: readonly string[] = [],
): Observation {
  const read = (name: (typeof observedMetrics)[number]): number | undefined => row[name];
  const selfBleu = read('monitor/self_bleu');
  const named: Record<keyof Observation['values'], number | undefined> = {
    success: read('rollout/success_rate'),
    rewardDeviation: read('rollout/reward_std'),
    entropy: read('rollout/entropy'),
    gradientNorm: read('policy/gradient_norm'),
    reasoningLength: read('rollout/reasoning_length'),
    replyLength: read('rollout/response_length'),
    validFormat: read('rollout/format_valid_share'),
    distinct: read('monitor/distinct_2'),
    difference: selfBleu === undefined ? undefined : 1 - selfBleu,
    updateDrift: read('policy/approx_kl'),
    information: read('monitor/mi_sequence'),
    probeDrift: read('monitor/probe_kl'),
    validationSuccess: undefined,
  };
  const ofTag = (tag: string): InputValues =>
    listPresent(
      inputsOfTag.map((input) => [input, row[metricsOfInput(`tag/${tag}/${input}`).metrics[0] ?? '']]),
    );
  return {
    step,
    values: listPresent(Object.entries(named)),
    ...(tags.length < 2 ? {} : { tags: Object.fromEntries(tags.map((tag) => [tag, ofTag(tag)])) }),
  };
}

const listPresent = (values: readonly (readonly [string, number | undefined])[]): InputValues =>
  Object.fromEntries(values.filter(([, value]) => value !== undefined));
