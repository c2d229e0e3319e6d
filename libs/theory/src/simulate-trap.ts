import { estimateGroupAdvantages, filterGroups } from '@espalier/objective';
import { createStream, deriveSeed, type RandomStream } from '@espalier/random';
import { type EchoTrap, emptyPath, lowestAndHighest, record, type TrapPath } from './echo-trap.js';
import { logitOf, sigmoid } from './sigmoid.js';

export interface SimulatedTrap {
  readonly path: TrapPath;
  /** probability of reading at the end of each run */
  readonly ends: readonly number[];
}

/** Trains `runs` policies by sampling, with the filter and the estimator of advantages that runs use. */
export function simulateTrap(model: EchoTrap, runs: number, seed: number): SimulatedTrap {
  const stream = createStream(deriveSeed(seed, 'echo-trap'));
  const start = logitOf(model.start);
  const [lowest, highest] = lowestAndHighest(model);
  const logits = new Float64Array(runs).fill(start);
  const weights = new Float64Array(runs).fill(1 / runs);
  const path = emptyPath();
  for (let step = 0; step <= model.steps; step++) {
    record(path, model, weights, logits.map(sigmoid));
    if (step === model.steps) break;
    logits.forEach((logit, i) => {
      const moved = logit + model.learningRate * sampleGradient(model, sigmoid(logit), stream);
      logits[i] = Math.min(highest, Math.max(lowest, moved));
    });
  }
  return { path, ends: Array.from(logits, sigmoid) };
}

/** Plays one step and gives its gradient for the logit. */
function sampleGradient(model: EchoTrap, p: number, stream: RandomStream): number {
  const played = Array.from({ length: model.groups }, (_, group) => {
    const reads = [stream.next() < p, stream.next() < p];
    const totals = reads.map((isReading) => payOf(model, group < model.telling, isReading, stream));
    return { reads, totals };
  });
  const { kept } = filterGroups(played, {
    kind: 'ratio',
    value: model.kept / model.groups,
    zeros: 'keep',
  });
  const groupOf = kept.flatMap((group) => [group, group]);
  const totals = kept.flatMap((group) => played[group]?.totals ?? []);
  const reads = kept.flatMap((group) => played[group]?.reads ?? []);
  const advantages = estimateGroupAdvantages(totals, groupOf, model.divisor);
  const sum = advantages.reduce((all, value, i) => all + value * ((reads[i] === true ? 1 : 0) - p), 0);
  return sum / advantages.length;
}

function payOf(model: EchoTrap, isTelling: boolean, isReading: boolean, stream: RandomStream): number {
  const draw = stream.next();
  if (isTelling) return draw < (isReading ? model.read : model.echo) ? 1 : 0;
  return 0.5 + (draw < 0.5 ? 1 : -1) / (2 * model.noise);
}
