/**
 * @file Passes of a batch over a model on a server: which form a loss takes, what is sent at once and what with the step, and
 * whether the answer can be trusted.
 */
import {
  AppError,
  type Datum,
  type EngineDescription,
  type ForwardBackwardResult,
  type LossSpec,
  type OptimizerStep,
  type OptimizerStepResult,
  type ScoreRequest,
  type TokenScores,
} from '@espalier/contracts';
import { checkDatum, checkScoreRequest } from '@espalier/engine';
import { checkPassResult } from './client/check-results.js';
import type { Connection } from './client/connection.js';
import { gradientNormOf } from './client/measure-reduction.js';
import type { Pass, RemoteModel } from './client/remote-model.js';
import { chooseRoute, evaluateBatch, type LossPreference } from './loss/loss-route.js';
import {
  chunk,
  forwardData,
  isSummed,
  type LinearDatum,
  linearData,
  maskName,
  namedData,
  type Reduction,
  tracedData,
  withLoss,
} from './loss/wire-data.js';

const mostData = 256;

/** What passes need to know of an engine. */
export interface PassContext {
  readonly options: { readonly losses?: LossPreference; readonly requestTokens?: number };
  readonly connection: Connection;
  readonly description: EngineDescription;
  readonly reduction: Reduction;
}

interface Learning {
  readonly batch: readonly Datum[];
  readonly loss: LossSpec;
  /** takes what is sent with the next step */
  readonly keep: (data: readonly LinearDatum[]) => void;
}

export async function learn(
  opened: PassContext,
  remote: RemoteModel,
  { batch, loss, keep }: Learning,
): Promise<ForwardBackwardResult> {
  const { connection, description, options, reduction } = opened;
  batch.forEach((datum, i) => checkDatum(`forward-backward of policy, datum ${i}`, datum, loss, description));
  refuseNaN(batch, loss);
  const takesGraphs = isSummed(reduction) && (await connection.takesLosses());
  const route = chooseRoute(loss, options.losses ?? 'named', takesGraphs);
  const temperature = temperatureOf(opened, batch);
  // where the number of sequences divides, batches of one step can only be weighed together
  const isAlone = isSummed(reduction) || !remote.hasGathered;
  const wire =
    route.kind === 'traced'
      ? tracedData(batch, route.loss, loss.columns)
      : route.kind === 'named' && isAlone
        ? namedData(batch, route.loss, reduction, loss.columns)
        : undefined;
  if (route.kind === 'named' && !isAlone) throw refuseSecondBatch(loss);
  const pass = wire ?? { lossFn: 'cross_entropy', lossConfig: {}, data: forwardData(batch) };
  const send = withMask(opened, { ...pass, lossConfig: { ...pass.lossConfig, ...temperature } }, batch);
  const scores = await runPasses(opened, remote, send, batch, wire !== undefined);
  const evaluated = evaluateBatch(
    loss,
    batch,
    scores.map(({ logprobs }) => logprobs),
    scores.map(({ entropies }) => entropies),
  );
  const bad = [['loss', evaluated.loss] as const, ...Object.entries(evaluated.metrics)].find(
    ([, value]) => !Number.isFinite(value),
  );
  if (bad !== undefined) {
    if (wire !== undefined) remote.taint();
    throw new AppError(
      'engine.not_finite',
      `forward-backward of policy: "${bad[0]}" of loss "${loss.id}" is ${bad[1]}; nothing was applied`,
    );
  }
  if (wire === undefined)
    keep(
      batch.map((datum, i) => ({
        tokens: datum.tokens,
        positions: datum.positions,
        temperature: datum.temperature ?? 1,
        logprobs: scores[i]?.logprobs ?? new Float32Array(),
        gradient: evaluated.gradients[i] ?? new Float32Array(),
      })),
    );
  return { loss: evaluated.loss, metrics: evaluated.metrics, scores };
}

const refuseSecondBatch = ({ id }: LossSpec): AppError =>
  new AppError(
    'engine.unsupported',
    `forward-backward of policy: a second batch ("${id}") before the step, and this server divides by the number of sequences; set engine.losses: linear, or update.selfDistillation.coefficient to 0`,
  );

function refuseNaN(batch: readonly Datum[], loss: LossSpec): void {
  batch.forEach((datum, i) => {
    const columns = loss.columns.map((name) => [name, datum.columns[name] ?? []] as const);
    for (const [name, values] of [['weights', datum.weights] as const, ...columns])
      if (!Array.from(values).every((value) => Number.isFinite(value)))
        throw new AppError(
          'engine.not_finite',
          `forward-backward of policy: "${name}" of datum ${i} is not finite; nothing was sent`,
        );
  });
}

/** The temperature of data, as our own server takes it; others know 1 only. */
function temperatureOf({ connection }: PassContext, data: readonly ScoreRequest[]): Record<string, number> {
  const all = new Set(data.map(({ temperature = 1 }) => temperature));
  const [temperature = 1] = all;
  if (all.size <= 1 && temperature === 1) return {};
  if (all.size > 1)
    throw new AppError(
      'engine.unsupported',
      'forward-backward of policy: data of several temperatures; send them apart',
    );
  if (connection.capabilities.espalier !== undefined) return { temperature };
  throw refuseTemperature(temperature);
}

/** The refusal of another temperature than 1. */
export function refuseTemperature(temperature: number): AppError {
  return new AppError(
    'engine.unsupported',
    `engine tinker: training at temperature ${temperature}; the server computes log-probabilities at 1 only, so set rollout.temperature to 1`,
  );
}

/** Tells our own server which positions are asked about, so that it computes no others. */
function withMask({ connection }: PassContext, pass: Pass, asked: readonly ScoreRequest[]): Pass {
  if (connection.capabilities.espalier === undefined) return pass;
  const kept = withLoss(asked);
  const data = pass.data.map(({ tokens, inputs }, i) => {
    const mask = new Int32Array(tokens.length);
    for (const t of kept[i]?.positions ?? []) mask[t - 1] = 1;
    return { tokens, inputs: { ...inputs, [maskName]: { dtype: 'int64' as const, data: mask } } };
  });
  return { ...pass, data };
}

/** Sends a pass in requests of bounded size; scores of data without loss tokens are empty. */
async function runPasses(
  { options, description }: PassContext,
  remote: RemoteModel,
  pass: Pass,
  asked: readonly ScoreRequest[],
  isLearning: boolean,
): Promise<TokenScores[]> {
  const results: TokenScores[] = [];
  const kept = withLoss(asked);
  for (const data of chunk(pass.data, options.requestTokens ?? 100_000, mostData)) {
    const requests = kept.slice(results.length, results.length + data.length);
    const part = { ...pass, data };
    const result = await (isLearning ? remote.forwardBackward(part) : remote.forward(part));
    try {
      results.push(...checkPassResult(result, requests, description));
    } catch (error) {
      if (isLearning) remote.taint();
      throw error;
    }
  }
  let at = 0;
  return asked.map(({ positions }) =>
    positions.length === 0
      ? { logprobs: new Float32Array(), entropies: new Float32Array() }
      : (results[at++] as TokenScores),
  );
}

export async function stepWith(
  opened: PassContext,
  remote: RemoteModel,
  deferred: readonly LinearDatum[],
  step: OptimizerStep,
): Promise<OptimizerStepResult> {
  if (deferred.length > 0) {
    const temperature = temperatureOf(opened, deferred);
    const { data, lossFn, lossConfig } = linearData(deferred, opened.reduction);
    const pass = withMask(opened, { data, lossFn, lossConfig: { ...lossConfig, ...temperature } }, deferred);
    await runPasses(opened, remote, pass, deferred, true);
  }
  const norm = gradientNormOf(await remote.step(step));
  return norm === undefined
    ? { gradientNorm: Number.NaN, clipped: false }
    : { gradientNorm: norm, clipped: norm > step.maxGradientNorm };
}

export async function score(
  opened: PassContext,
  remote: RemoteModel,
  requests: readonly ScoreRequest[],
): Promise<TokenScores[]> {
  requests.forEach((request, i) => checkScoreRequest(`score, request ${i}`, request, opened.description));
  const lossConfig = temperatureOf(opened, requests);
  const pass = withMask(
    opened,
    { lossFn: 'cross_entropy', lossConfig, data: forwardData(requests) },
    requests,
  );
  return runPasses(opened, remote, pass, requests, false);
}
