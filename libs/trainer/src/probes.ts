/**
 * @file Probes: fixed prompts, each with a reply of the starting policy. How likely the present policy finds these replies says
 * how far it has moved, whatever states it trains on. They are made once, before the first iteration, and every checkpoint has
 * them, so that a resumed run compares with the same start.
 */
import { defineMetric, type RunSpec, type ScoringModel, type TokenScores } from '@espalier/contracts';
import { isRecord } from '@espalier/contracts/values';
import { asError } from './evaluation.js';
import { emitWarning, type RunContext } from './run-context.js';

const DRIFT_KL = defineMetric({
  name: 'monitor/probe_kl',
  unit: 'nats',
  formula:
    'KL divergence of the starting policy from the updated one, per token of replies that the starting policy gave to fixed prompts: mean of r − 1 − log r, r = p(now) / p(start)',
});
const DRIFT_MEAN = defineMetric({
  name: 'monitor/probe_logprob_change',
  unit: 'nats',
  formula: 'mean |log p(now) − log p(start)| of the same tokens',
});

/** A prompt and the reply of the starting policy to it. */
export interface Probe {
  /** prompt, then reply */
  readonly tokens: readonly number[];
  /** length of the prompt */
  readonly start: number;
  /** of the tokens of the reply under the starting policy, nats */
  readonly logprobs: readonly number[];
}

interface Asked {
  readonly policy: Pick<ScoringModel, 'score'>;
  readonly temperature: number;
}

const isProbing = ({ monitor }: RunSpec): boolean => monitor.every > 0 && monitor.probes.every > 0;

/** Makes the probes of a new run; those of a resumed run are in its checkpoint. Without any, a warning says why. */
export async function prepareProbes(run: RunContext): Promise<void> {
  const { spec, state } = run;
  if (!isProbing(spec) || run.probes !== undefined) return;
  const skip = (finding: string): void =>
    emitWarning(
      run,
      'monitor.no_probes',
      `measure drift on fixed prompts: ${finding}; policy-drift says nothing in this run, everything else goes on (monitor.probes.every: 0 turns it off)`,
    );
  if (state.step > 0)
    return skip(
      `the checkpoint of step ${state.step} has no probes that were sampled as this run samples, and the start is gone`,
    );
  try {
    const probes = await makeProbes(run);
    if (probes.length === 0)
      return skip(
        'no environment of the run is validated by the built-in rollout, so there are no fixed prompts',
      );
    run.probes = probes;
  } catch (thrown) {
    skip(`the initial states of validation gave no prompts: ${asError(thrown).message}`);
  }
}

/** Takes the prompts of the trained environments alike, and lets the starting policy reply to each. */
async function makeProbes(run: RunContext): Promise<Probe[]> {
  const { engine, spec } = run;
  const { policy } = engine;
  const sources = run.validated.filter(({ trained }) => trained);
  const counts = sources.map(
    (_, index) => Math.floor((spec.monitor.probes.prompts - 1 - index) / sources.length) + 1,
  );
  const prompts = (
    await Promise.all(sources.map(({ encodePrompts }, index) => encodePrompts(counts[index] ?? 0)))
  ).flat();
  const names = prompts.map((_, index) => `probe/${index}`);
  const replies = await Promise.all(
    prompts.map((prompt, index) => policy.sample({ ...prompt, sequence: names[index] as string })),
  );
  policy.release(names);
  const asked = prompts.map(({ tokens: prompt }, index) => ({
    tokens: [...prompt, ...(replies[index]?.tokens ?? [])],
    start: prompt.length,
    logprobs: [],
  }));
  // as they will be scored later, so that no difference of sampling and scoring counts as drift
  const scores = await scoreProbes({ policy, temperature: spec.rollout.temperature }, asked);
  return asked.map((probe, index) => ({ ...probe, logprobs: [...(scores[index]?.logprobs ?? [])] }));
}

function scoreProbes({ policy, temperature }: Asked, probes: readonly Probe[]): Promise<TokenScores[]> {
  return policy.score(
    probes.map(({ tokens, start }) => ({
      tokens: Int32Array.from(tokens),
      positions: Int32Array.from({ length: tokens.length - start }, (_, index) => start + index),
      temperature,
    })),
  );
}

/** Measures how far the policy is from the start of the run. */
export async function measureDrift(asked: Asked, probes: readonly Probe[]): Promise<Record<string, number>> {
  const scores = await scoreProbes(asked, probes);
  const changes = probes.flatMap(({ logprobs }, index) =>
    logprobs.map((before, n) => (scores[index]?.logprobs[n] ?? Number.NaN) - before),
  );
  return estimateDrift(changes);
}

/**
 * Estimates drift from the changes of log-probabilities of what the starting policy said.
 *
 * @see Schulman 2020, "Approximating KL Divergence", estimator k3
 */
export function estimateDrift(changes: readonly number[]): Record<string, number> {
  const mean = (of: (change: number) => number): number =>
    changes.reduce((sum, change) => sum + of(change), 0) / changes.length;
  return {
    [DRIFT_KL.name]: mean((change) => Math.expm1(change) - change),
    [DRIFT_MEAN.name]: mean(Math.abs),
  };
}

/** Reports whether a stored value is a list of probes. */
export function areProbes(value: unknown): value is readonly Probe[] {
  return Array.isArray(value) && value.length > 0 && value.every(isProbe);
}

const isNumbers = (value: unknown, of: (one: unknown) => boolean): value is number[] =>
  Array.isArray(value) && value.every(of);

function isProbe(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { tokens, start, logprobs } = value;
  return (
    isNumbers(tokens, Number.isSafeInteger) &&
    isNumbers(logprobs, Number.isFinite) &&
    logprobs.length > 0 &&
    tokens.length === Number(start) + logprobs.length
  );
}
