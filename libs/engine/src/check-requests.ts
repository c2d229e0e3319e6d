/** @file Whether requests fit the model, said before anything is computed. */
import {
  AppError,
  type Datum,
  type LossSpec,
  type SampleRequest,
  type ScoreRequest,
} from '@espalier/contracts';

export interface ModelLimits {
  readonly vocabularySize: number;
  readonly contextLength: number;
}

/** Throws `engine.invalid_request` or `engine.context_exceeded` for a sequence the model cannot take. */
function checkTokens(what: string, tokens: Int32Array, limits: ModelLimits): void {
  if (tokens.length > limits.contextLength) {
    throw new AppError(
      'engine.context_exceeded',
      `${what}: ${tokens.length} tokens; the model's context holds ${limits.contextLength}`,
    );
  }
  for (let t = 0; t < tokens.length; t += 1) {
    const id = tokens[t] as number;
    if (id < 0 || id >= limits.vocabularySize) {
      throw invalid(
        `${what}: token ${id} at position ${t}; ids of this model are 0 to ${limits.vocabularySize - 1}`,
      );
    }
  }
}

/** Checks a request to score. */
export function checkScoreRequest(what: string, request: ScoreRequest, limits: ModelLimits): void {
  checkTokens(what, request.tokens, limits);
  let before = 0;
  for (const position of request.positions) {
    if (position <= before || position >= request.tokens.length) {
      throw invalid(
        `${what}: position ${position} after ${before}; expected ascending positions in 1..${request.tokens.length - 1}`,
      );
    }
    before = position;
  }
  const { temperature = 1 } = request;
  if (!(temperature > 0 && temperature < Infinity))
    throw invalid(`${what}: temperature ${temperature}; expected a number above 0`);
}

/** Checks a datum against the loss it is for. */
export function checkDatum(what: string, datum: Datum, loss: LossSpec, limits: ModelLimits): void {
  checkScoreRequest(what, datum, limits);
  const count = datum.positions.length;
  if (datum.weights.length !== count)
    throw invalid(`${what}: ${datum.weights.length} weights for ${count} positions`);
  for (const name of loss.columns) {
    const found = datum.columns[name]?.length;
    if (found !== count) {
      throw invalid(
        `${what}: column "${name}" of loss "${loss.id}" has ${found ?? 'no'} entries for ${count} positions`,
      );
    }
  }
}

/** Checks a request to sample. */
export function checkSampleRequest(
  { sequence, tokens, params, seed, sharedPrefix = 0 }: SampleRequest,
  limits: ModelLimits,
): void {
  const what = `sample "${sequence}"`;
  checkTokens(what, tokens, limits);
  if (tokens.length === 0) throw invalid(`${what}: no tokens; a sequence begins with at least one`);
  const isLegal =
    params.temperature >= 0 &&
    params.temperature < Infinity &&
    params.topP > 0 &&
    params.topP <= 1 &&
    Number.isInteger(params.topK) &&
    params.topK >= 0 &&
    Number.isInteger(params.maxTokens) &&
    params.maxTokens >= 0;
  if (!isLegal) {
    throw invalid(
      `${what}: temperature ${params.temperature}, topP ${params.topP}, topK ${params.topK}, maxTokens ${params.maxTokens}; expected temperature ≥ 0, topP in (0, 1], whole topK and maxTokens ≥ 0`,
    );
  }
  if (!Number.isInteger(seed) || seed < 0)
    throw invalid(`${what}: seed ${seed}; expected a whole number ≥ 0`);
  if (!Number.isInteger(sharedPrefix) || sharedPrefix < 0)
    throw invalid(`${what}: sharedPrefix ${sharedPrefix}; expected a whole number of tokens ≥ 0`);
}

function invalid(message: string): AppError {
  return new AppError('engine.invalid_request', message);
}
