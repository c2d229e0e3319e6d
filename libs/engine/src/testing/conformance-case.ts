/** @file What cases of the engine conformance suite are made of: the subject, small checks, requests and data. */
import type {
  Datum,
  LossSpec,
  PolicyEngine,
  SampleRequest,
  SampleResult,
  SamplingParams,
} from '@espalier/contracts';

export interface ConformanceSubject {
  /** makes an engine; the same weights every time */
  readonly create: () => Promise<PolicyEngine>;
  /** negative log-likelihood: per-token loss −logprob, no columns */
  readonly likelihoodLoss: LossSpec;
  /** squared error of a critic against the column `returns` */
  readonly valueLoss: LossSpec;
  /** an empty folder for each call */
  readonly temporaryFolder: () => string;
  /** titles of cases that ask for what this engine refuses, with the code: such a case passes only when it is refused so */
  readonly refuses?: Readonly<Record<string, string>>;
  /**
   * by how much log-probabilities and entropies (nats) may differ that are computed in another batch, or by sampling and by scoring;
   * absent: not in a bit in another batch, and by 1e-5 between the two. Tokens are equal in any case.
   */
  readonly tolerance?: number;
}

export interface ConformanceCase {
  readonly title: string;
  run(subject: ConformanceSubject): Promise<void>;
}

export const plain: SamplingParams = {
  temperature: 1,
  topP: 1,
  topK: 0,
  maxTokens: 12,
  stopTokens: [],
  stopSequences: [],
};
export const step = {
  learningRate: 0.01,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradientNorm: 1,
};

export function check(isTrue: boolean, finding: string): void {
  if (!isTrue) throw new Error(finding);
}

export function checkEqual(found: ArrayLike<number>, expected: ArrayLike<number>, what: string): void {
  const a = Array.from(found).join();
  const b = Array.from(expected).join();
  check(a === b, `${what} differ: found ${a}; expected ${b}`);
}

export function checkClose(
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  what: string,
): void {
  check(found.length === expected.length, `${what}: ${found.length} entries; expected ${expected.length}`);
  for (let i = 0; i < expected.length; i += 1) {
    const difference = Math.abs((found[i] as number) - (expected[i] as number));
    check(difference <= tolerance, `${what} differ by ${difference} at ${i}; expected at most ${tolerance}`);
  }
}

export const prompt = (seed: number, length: number, vocabularySize: number): Int32Array =>
  Int32Array.from({ length }, (_, i) => (seed * 31 + i * i * 7 + i * 3 + 1) % vocabularySize);

export function requestOf(
  engine: PolicyEngine,
  i: number,
  overrides: Partial<SampleRequest> = {},
): SampleRequest {
  const tokens = prompt(i, 3 + ((i * 5) % 11), engine.description.vocabularySize);
  return { sequence: `s${i}`, tokens, params: plain, seed: 1000 + i, ...overrides };
}

/** @param tolerance absent: bits */
export function sameResult(a: SampleResult, b: SampleResult, what: string, tolerance?: number): void {
  checkEqual(a.tokens, b.tokens, `${what}: tokens`);
  for (const [name, values, expected] of [
    ['log-probabilities', a.logprobs, b.logprobs],
    ['entropies', a.entropies, b.entropies],
  ] as const)
    if (tolerance === undefined) checkEqual(values, expected, `${what}: ${name}`);
    else checkClose(values, expected, tolerance, `${what}: ${name}`);
  check(a.stop === b.stop, `${what}: stopped by ${a.stop}; expected ${b.stop}`);
}

export const join = (...parts: ArrayLike<number>[]): Int32Array =>
  Int32Array.from(parts.flatMap((part) => Array.from(part)));

async function withEngine(
  subject: ConformanceSubject,
  body: (engine: PolicyEngine) => Promise<void>,
): Promise<void> {
  const engine = await subject.create();
  try {
    await body(engine);
  } finally {
    await engine.dispose();
  }
}

export function sampled(
  title: string,
  body: (engine: PolicyEngine, subject: ConformanceSubject) => Promise<void>,
): ConformanceCase {
  const run = (subject: ConformanceSubject): Promise<void> =>
    withEngine(subject, (engine) => {
      const code = subject.refuses?.[title];
      return code === undefined ? body(engine, subject) : rejects(body(engine, subject), code);
    });
  return { title, run };
}

export async function rejects(promise: Promise<unknown>, code: string): Promise<void> {
  const outcome = await promise.then(
    () => 'no error',
    (error: unknown) => (error as { readonly code?: string }).code ?? String(error),
  );
  check(outcome === code, `expected an error ${code}; got ${outcome}`);
}

/** A batch of data whose loss positions and weights differ. */
export function dataOf(engine: PolicyEngine, count: number): Datum[] {
  const total = count * 4;
  return Array.from({ length: count }, (_, i) => {
    const tokens = prompt(i + 50, 6 + ((i * 7) % 9), engine.description.vocabularySize);
    const positions = Int32Array.from([1, 2, 4, 5]);
    const returns = Float32Array.from([0.5, -1, 2, 0.25]);
    return { tokens, positions, weights: new Float32Array(4).fill(1 / total), columns: { returns } };
  });
}
