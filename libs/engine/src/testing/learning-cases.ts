/** @file What any policy engine must do when it learns. */
import type { PolicyEngine } from '@espalier/contracts';
import {
  check,
  checkClose,
  checkEqual,
  type ConformanceCase,
  dataOf,
  join,
  rejects,
  requestOf,
  sampled,
  step,
} from './conformance-case.js';

/** Cases about learning. */
export const learningCases: readonly ConformanceCase[] = [
  sampled('gives the same gradient in one call and in several', async (engine, subject) => {
    const other = await subject.create();
    const data = dataOf(engine, 6);
    await engine.policy.forwardBackward(data, subject.likelihoodLoss);
    for (const part of [data.slice(0, 1), data.slice(1, 4), data.slice(4)])
      await other.policy.forwardBackward(part, subject.likelihoodLoss);
    const a = await engine.policy.optimizerStep(step);
    const b = await other.policy.optimizerStep(step);
    await other.dispose();
    checkClose([a.gradientNorm / b.gradientNorm], [1], 1e-5, 'ratio of gradient norms');
  }),
  sampled('drops gathered gradients when asked', async (engine, subject) => {
    await engine.policy.forwardBackward(dataOf(engine, 2), subject.likelihoodLoss);
    await engine.policy.zeroGradients();
    const { gradientNorm } = await engine.policy.optimizerStep(step);
    check(gradientNorm === 0, `gradient norm ${gradientNorm}; expected 0`);
  }),
  sampled('reports the scores under the weights before the update', async (engine, subject) => {
    const data = dataOf(engine, 3);
    const before = await engine.policy.score(data);
    const { scores, loss } = await engine.policy.forwardBackward(data, subject.likelihoodLoss);
    data.forEach((_, i) =>
      checkClose(
        scores?.[i]?.logprobs ?? [],
        before[i]?.logprobs ?? [],
        1e-6,
        `log-probabilities of datum ${i}`,
      ),
    );
    const expected =
      before.reduce((total, { logprobs }) => total - logprobs.reduce((a, b) => a + b, 0), 0) / 12;
    checkClose([loss], [expected], 1e-5, 'loss');
  }),
  sampled('lowers the loss step by step and counts versions', async (engine, subject) => {
    const data = dataOf(engine, 3);
    const losses: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      losses.push((await engine.policy.forwardBackward(data, subject.likelihoodLoss)).loss);
      await engine.policy.optimizerStep(step);
    }
    check((losses[7] as number) < 0.9 * (losses[0] as number), `losses ${losses.join()}; expected a fall`);
    check(engine.policy.version === 8, `version ${engine.policy.version}; expected 8`);
    const result = await engine.policy.sample(requestOf(engine, 1));
    check(result.policyVersion === 8, `sampled with version ${result.policyVersion}; expected 8`);
  }),
  sampled('samples with the new weights after a step, also in a cached sequence', async (engine, subject) => {
    const request = requestOf(engine, 1);
    const first = await engine.policy.sample(request);
    await engine.policy.forwardBackward(dataOf(engine, 3), subject.likelihoodLoss);
    await engine.policy.optimizerStep({ ...step, learningRate: 0.1 });
    const tokens = join(request.tokens, first.tokens);
    const grown = await engine.policy.sample({ ...request, tokens });
    const positions = Int32Array.from(grown.tokens, (_, i) => tokens.length + i);
    const [scores] = await engine.policy.score([{ tokens: join(tokens, grown.tokens), positions }]);
    checkClose(grown.logprobs, scores?.logprobs ?? [], 1e-5, 'log-probabilities');
  }),
  sampled('continues from what it saved as if nothing had happened', async (engine, subject) => {
    const train = async (target: PolicyEngine) => {
      await target.policy.forwardBackward(dataOf(target, 4), subject.likelihoodLoss);
      return target.policy.optimizerStep(step);
    };
    await train(engine);
    const folder = subject.temporaryFolder();
    await engine.policy.save(folder, { optimizer: true });
    const other = await subject.create();
    await other.policy.load(folder, { optimizer: true });
    check(other.policy.version === engine.policy.version, `version ${other.policy.version} after loading`);
    await train(engine);
    await train(other);
    const a = await engine.policy.score(dataOf(engine, 2));
    const b = await other.policy.score(dataOf(other, 2));
    await other.dispose();
    checkEqual(
      b[0]?.logprobs ?? [],
      a[0]?.logprobs ?? [],
      'log-probabilities after loading and one more step',
    );
  }),
  sampled('opens a reference that stays as it was', async (engine, subject) => {
    const data = dataOf(engine, 2);
    const reference = await engine.openReference();
    const before = await engine.policy.score(data);
    await engine.policy.forwardBackward(data, subject.likelihoodLoss);
    await engine.policy.optimizerStep(step);
    checkEqual(
      (await reference.score(data))[0]?.logprobs ?? [],
      before[0]?.logprobs ?? [],
      'scores of the reference',
    );
    check(
      (await engine.policy.score(data))[0]?.logprobs[0] !== before[0]?.logprobs[0],
      'the policy did not move',
    );
  }),
  sampled(
    'opens a copy that samples with the old weights while it learns, until it is told',
    async (engine, subject) => {
      const copy = await engine.openSampler();
      const request = (sequence: string) => requestOf(engine, 1, { sequence });
      const before = await engine.policy.sample(request('before'));
      const data = dataOf(engine, 3);
      const learning = (async () => {
        for (let i = 0; i < 3; i += 1) {
          await engine.policy.forwardBackward(data, subject.likelihoodLoss);
          await engine.policy.optimizerStep({ ...step, learningRate: 0.1 });
        }
      })();
      const during = await copy.sample(request('during'));
      await learning;
      const late = await copy.sample(request('late'));
      for (const sampled of [during, late]) {
        checkEqual(sampled.tokens, before.tokens, 'tokens of the copy');
        checkEqual(sampled.logprobs, before.logprobs, 'log-probabilities of the copy');
        check(sampled.policyVersion === 0 && copy.version === 0, 'the copy has another version');
      }
      await copy.refresh();
      check(copy.version === engine.policy.version, `version ${copy.version} after a refresh`);
      checkEqual(
        (await copy.sample(request('after'))).logprobs,
        (await engine.policy.sample(request('after'))).logprobs,
        'log-probabilities after a refresh',
      );
      await copy.dispose();
    },
  ),
  sampled('opens a critic that begins at zero and learns returns', async (engine, subject) => {
    const critic = await engine.openCritic();
    const data = dataOf(engine, 2);
    const [before] = await critic.values(data);
    checkEqual(before ?? [], [0, 0, 0, 0], 'values of a new critic');
    let loss = Infinity;
    for (let i = 0; i < 30; i += 1) {
      const result = await critic.forwardBackward(data, subject.valueLoss);
      if (i === 0)
        checkEqual(result.values?.[0] ?? [], [0, 0, 0, 0], 'values under the weights before the update');
      loss = result.loss;
      await critic.optimizerStep({ ...step, learningRate: 0.02, maxGradientNorm: 100 });
    }
    check(
      loss < 0.5,
      `value loss ${loss} after 30 steps; expected below 0.5 (it began at ${(0.25 + 1 + 4 + 0.0625) / 4})`,
    );
  }),
  sampled('opens several critics, each of which learns alone', async (engine, subject) => {
    const [first, second, same] = [
      await engine.openCritic(),
      await engine.openCritic(3),
      await engine.openCritic(3),
    ];
    const data = dataOf(engine, 2);
    const valuesOf = async (critic: typeof first): Promise<number[]> =>
      (await critic.values(data)).flatMap((own) => [...own]);
    const [zero, drawn] = [await valuesOf(first), await valuesOf(second)];
    checkEqual(zero, [0, 0, 0, 0, 0, 0, 0, 0], 'values of a critic without a seed');
    check(
      drawn.every((value) => value !== 0 && Math.abs(value) < 1),
      `values ${drawn.join()} of a critic with a seed; expected small ones other than 0`,
    );
    checkEqual(await valuesOf(same), drawn, 'values of another critic with that seed');
    const scores = await engine.policy.score(data);
    await second.forwardBackward(data, subject.valueLoss);
    // what one gathers is not another's
    for (const [name, other] of Object.entries({ first, same, policy: engine.policy })) {
      const { gradientNorm } = await other.optimizerStep(step);
      check(gradientNorm === 0, `gradient norm ${gradientNorm} of ${name}; expected 0`);
    }
    const { gradientNorm } = await second.optimizerStep(step);
    check(gradientNorm > 0, `gradient norm ${gradientNorm} of the critic that learns; expected more than 0`);
    checkEqual(await valuesOf(first), zero, 'values of the first critic after a step of the second');
    checkEqual(await valuesOf(same), drawn, 'values of the third critic after a step of the second');
    check(
      (await valuesOf(second)).some((value, i) => value !== drawn[i]),
      'the second critic learned nothing',
    );
    checkEqual(
      (await engine.policy.score(data))[0]?.logprobs ?? [],
      scores[0]?.logprobs ?? [],
      'log-probabilities after a step of a critic',
    );
  }),
  sampled('refuses a step that is not finite and keeps its weights', async (engine, subject) => {
    const data = dataOf(engine, 2);
    const before = await engine.policy.score(data);
    const broken = data.map((datum, i) =>
      i === 0 ? { ...datum, weights: new Float32Array(4).fill(NaN) } : datum,
    );
    await rejects(engine.policy.forwardBackward(broken, subject.likelihoodLoss), 'engine.not_finite');
    const { gradientNorm } = await engine.policy.optimizerStep(step);
    check(gradientNorm === 0, `gradient norm ${gradientNorm} after a refused step; expected 0`);
    checkEqual((await engine.policy.score(data))[0]?.logprobs ?? [], before[0]?.logprobs ?? [], 'scores');
  }),
];
