/**
 * @file The vitest suite for environments; the spec of a plugin is one call.
 */
import { describe, expect, it } from 'vitest';
import type {
  EnvironmentDefinition,
  EnvironmentInstance,
  Observation,
  StepResult,
} from '../define-environment.js';
import { createStream } from '@espalier/random';
import { expectPicture } from './expect-picture.js';
import { describeDefinition } from './definition.suite.js';
import { expectSamePlay, seedRemedy, noiseRemedy, resetRemedy, type Play } from './same-play.js';

/** Options of the suite. */
export interface EnvironmentSuiteOptions {
  /** options under test; the others have their defaults */
  readonly params?: Readonly<Record<string, unknown>>;
  /** state seeds; default 0..11 */
  readonly seeds?: readonly number[];
  /** actions for environments that take free text and have no `sampleAction` */
  readonly sampleActions?: readonly string[];
  /** minimum share of seeds that the oracle (or `solve`) solves; default: not checked */
  readonly oracleSolves?: number;
  /** finds a plan if the environment has no oracle */
  readonly solve?: (instance: EnvironmentInstance, observation: Observation) => readonly string[];
  /** maximum characters of an explanation; default 200 */
  readonly explanationLimit?: number;
}

/** Fails with the name of a missing text. */
function expectText(value: unknown, name: string): void {
  const finding = value === '' ? 'an empty string' : typeof value;
  expect(typeof value === 'string' && value !== '' ? 'text' : finding, `${name} is a non-empty string`).toBe(
    'text',
  );
}

/** Runs the suite: determinism, isolation, finite rewards, consistent flags, errors, facts, snapshots, oracle. */
export function testEnvironment<Params>(
  definition: EnvironmentDefinition<Params>,
  options: EnvironmentSuiteOptions = {},
): void {
  const given = options.params ?? {};
  const seeds = options.seeds ?? Array.from({ length: 12 }, (_, i) => i);

  describe(`environment ${definition.id} ${JSON.stringify(given)}`, () => {
    describeDefinition(definition, given);
    it.each(Object.entries(definition.presets ?? {}))('accepts the preset %s', (name, preset) => {
      const parsed = definition.params.safeParse(preset.options);
      expect(parsed.success, `presets.${name}.options: params refuse them: ${parsed.error?.message}`).toBe(
        true,
      );
      for (const [limit, value] of Object.entries(preset.limits ?? {}))
        expect(
          Number.isInteger(value) && value >= 1,
          `presets.${name}.limits.${limit}: an integer from 1`,
        ).toBe(true);
    });
    const params = definition.params.parse(given);
    const create = (): EnvironmentInstance => definition.create(params);
    const limits = definition.limits(params);

    async function play(
      instance: EnvironmentInstance,
      seed: number,
      noise = seed + 1,
      most = limits.maxActions,
    ): Promise<Play> {
      const stream = createStream(seed);
      const first = await instance.reset({ state: seed, noise });
      const observations = [first];
      const results: StepResult[] = [];
      const renders = [instance.render()];
      const facts: unknown[] = [instance.facts?.()];
      const actions: string[] = [];
      for (let step = 0; step < most && results.at(-1)?.done !== true; step++) {
        const action = chooseAction(instance, observations.at(-1)!, stream.word());
        const result = await instance.step(action);
        actions.push(action);
        results.push(result);
        observations.push(result.observation);
        renders.push(instance.render());
        facts.push(instance.facts?.());
      }
      await instance.close?.();
      return { observations, results, renders, facts, actions };
    }

    /** Chooses an action by a number: from the list, or a sample where any text is an action. */
    function chooseAction(instance: EnvironmentInstance, observation: Observation, choice: number): string {
      const actions = observation.actions ?? options.sampleActions ?? [];
      const action =
        actions.length > 0 ? actions[choice % actions.length] : instance.sampleAction?.(choice >>> 0);
      if (action === undefined)
        throw new Error(
          'testEnvironment: no list of actions; add `sampleAction` to the environment, or give `sampleActions`',
        );
      return action;
    }

    it('states positive integer limits and an instruction', () => {
      for (const limit of Object.values(limits)) expect(Number.isInteger(limit) && limit >= 1).toBe(true);
      expect(limits.maxActionsPerTurn).toBeLessThanOrEqual(limits.maxActions);
      expect(typeof definition.instruction(params)).toBe('string');
    });

    const { agent } = definition;
    if (agent !== undefined) {
      it('names a program with positive limits, as plain data', () => {
        const program = agent(params);
        expect(structuredClone(program)).toEqual(program);
        expect(program.command?.[0] ?? 'from outside').not.toBe('');
        for (const limit of [program.sessionTimeoutMs, program.idleTimeoutMs])
          expect(limit).toBeGreaterThan(0);
      });
      return;
    }

    const { noise, actions: most } = definition.reads?.(params) ?? {};
    if (noise === false)
      it('does not depend on environment noise', async () => {
        for (const seed of seeds)
          expectSamePlay(
            await play(create(), seed, 1),
            await play(create(), seed, 2),
            seed,
            'two values of seeds.noise',
            noiseRemedy,
          );
      });

    if (most !== undefined)
      it('ends every episode within its stated number of actions', async () => {
        expect(limits.maxActions).toBeLessThanOrEqual(most);
        for (const seed of seeds) {
          const { results } = await play(create(), seed, seed + 1, most);
          expect(results.at(-1)?.done, `done after ${most} actions, as \`reads\` says, seed ${seed}`).toBe(
            true,
          );
        }
      });

    if (definition.inert !== undefined)
      it('reports only its own options as inert', () => {
        for (const name of definition.inert!(params, limits)) expect(params).toHaveProperty(name);
      });

    it('is determined by its seeds', async () => {
      for (const seed of seeds)
        expectSamePlay(
          await play(create(), seed),
          await play(create(), seed),
          seed,
          'the same seeds',
          seedRemedy,
        );
    });

    it('differs between seeds for the same actions', async () => {
      const histories = new Set<string>();
      for (const seed of seeds) {
        const instance = create();
        let observation = await instance.reset({ state: seed, noise: seed });
        const history: unknown[] = [observation];
        for (let step = 0, done = false; step < limits.maxActions && !done; step++) {
          const result = await instance.step(chooseAction(instance, observation, step));
          history.push(result);
          ({ observation, done } = result);
        }
        histories.add(JSON.stringify(history));
      }
      if (seeds.length > 3)
        expect(
          histories.size,
          `different histories of ${seeds.length} state seeds; \`reset\` draws the initial state from createStream(seeds.state)`,
        ).toBeGreaterThan(1);
    });

    it('starts from a state that only the state seed determines', async () => {
      for (const seed of seeds) {
        const first = await create().reset({ state: seed, noise: 1 });
        expect(
          await create().reset({ state: seed, noise: 2 }),
          `the first observation, state seed ${seed}, under two noise seeds; draw it from seeds.state alone`,
        ).toEqual(first);
      }
    });

    it('clears the last episode on reset', async () => {
      const used = create();
      for (const seed of seeds)
        expectSamePlay(
          await play(used, seed),
          await play(create(), seed),
          seed,
          'a used and a new instance',
          resetRemedy,
        );
    });

    it('shares no state between two instances', async () => {
      const left = create();
      const right = create();
      const expected = await play(create(), seeds[0]!);
      await left.reset({ state: seeds[0]!, noise: seeds[0]! + 1 });
      for (const [index, action] of expected.actions.entries()) {
        await right.reset({ state: seeds[index % seeds.length]!, noise: index });
        const observation = await right.reset({ state: seeds.at(-1)!, noise: 5 });
        await right.step(chooseAction(right, observation, 0));
        expect(await left.step(action)).toEqual(expected.results[index]);
      }
    });

    it('returns text, state keys and finite rewards', async () => {
      for (const seed of seeds) {
        const { observations, results, renders } = await play(create(), seed);
        for (const [step, { text, stateKey }] of observations.entries()) {
          expectText(text, `observation.text, seed ${seed}, after ${step} actions`);
          expectText(stateKey, `observation.stateKey, seed ${seed}, after ${step} actions`);
        }
        for (const render of renders) expect(typeof render, `render(), seed ${seed}`).toBe('string');
        for (const [index, { reward, metrics = {}, ...result }] of results.entries()) {
          const place = `seed ${seed}, action ${index + 1}`;
          expect(reward, `reward is a finite number, ${place}`).toSatisfy(Number.isFinite);
          for (const [name, value] of Object.entries(metrics))
            expect(value, `metric ${name} is a finite number, ${place}`).toSatisfy(Number.isFinite);
          expect(
            result.valid,
            `valid, for an action from observation.actions or sampleAction, ${place}; list in observation.actions what is legal in this state only, or return valid: true`,
          ).toBe(true);
          if (!result.done) expect(result.success, `success while not done, ${place}`).toBe(false);
        }
      }
    });

    it('has equal state keys only for equal observable states', async () => {
      for (const seed of seeds) {
        const { observations, results } = await play(create(), seed);
        const texts = new Map<string, string>();
        for (const { stateKey, text } of observations) {
          expect(text, `the text of state key "${stateKey}", seed ${seed}, when it recurs`).toBe(
            texts.get(stateKey) ?? text,
          );
          texts.set(stateKey, text);
        }
        for (const [index, { effective }] of results.entries()) {
          expect(
            observations[index + 1]!.stateKey !== observations[index]!.stateKey,
            `the state key changes exactly when \`effective\` is true, seed ${seed}, action ${index + 1}`,
          ).toBe(effective);
        }
      }
    });

    it('rejects an unknown action and names the valid ones', async () => {
      const instance = create();
      const observation = await instance.reset({ state: seeds[0]!, noise: 0 });
      if (observation.actions === undefined) return;
      let finding: unknown;
      try {
        finding = await instance.step('no such action');
      } catch (error) {
        finding = error;
      }
      if (finding instanceof Error) {
        expect(finding.message).toContain('no such action');
        for (const action of observation.actions) expect(finding.message).toContain(action);
      } else {
        expect(
          finding,
          'step("no such action"); throw unknownAction(action, actions) of the kit, or return valid: false and leave the state as it is',
        ).toMatchObject({ valid: false, effective: false });
      }
    });

    it('has facts that survive JSON', async () => {
      const { facts } = await play(create(), seeds[0]!);
      for (const fact of facts)
        if (fact !== undefined)
          expect(
            JSON.parse(JSON.stringify(fact)),
            'facts() after JSON; return arrays, plain objects, strings, numbers and null',
          ).toEqual(fact);
    });

    it('continues identically after snapshot and restore', async () => {
      for (const seed of seeds) {
        const original = create();
        if (original.snapshot === undefined || original.restore === undefined) return;
        const expected = await play(create(), seed);
        const half = Math.floor(expected.actions.length / 2);
        await original.reset({ state: seed, noise: seed + 1 });
        for (const action of expected.actions.slice(0, half)) await original.step(action);
        const snapshot: unknown = JSON.parse(JSON.stringify(original.snapshot()));
        const copy = create();
        copy.restore!(snapshot);
        expect(copy.render()).toBe(expected.renders[half]);
        for (const [index, action] of expected.actions.slice(half).entries()) {
          expect(await copy.step(action)).toEqual(expected.results[half + index]);
        }
      }
    });

    it('draws valid pictures of bounded size, equal for equal states', async () => {
      for (const seed of seeds.slice(0, 2)) {
        const instance = create();
        if (instance.picture === undefined) return;
        const known = new Map<string, Uint8Array>();
        const plain = await play(create(), seed, seed + 1, 8);
        let observation = await instance.reset({ state: seed, noise: seed + 1 });
        for (let step = 0; ; step++) {
          const place = `seed ${seed}, after ${step} actions`;
          expectPicture(known, observation.stateKey, instance.picture(), place);
          if (step === 0)
            expectPicture(known, observation.stateKey, instance.picture(), `${place}, drawn twice`);
          const action = plain.actions[step];
          if (action === undefined) break;
          const result = await instance.step(action);
          expect(result, `the result of an action when pictures were drawn before it, ${place}`).toEqual(
            plain.results[step],
          );
          ({ observation } = result);
        }
      }
    });

    it('plans with available actions and explains briefly', async () => {
      for (const seed of seeds) {
        const instance = create();
        const observation = await instance.reset({ state: seed, noise: 0 });
        const plan = instance.oracle?.() ?? options.solve?.(instance, observation);
        if (plan === undefined) return;
        const explanation = instance.explain?.(plan);
        if (explanation !== undefined) {
          const length = `characters of explain(), seed ${seed}`;
          expect(explanation.length, length).toBeGreaterThan(0);
          expect(explanation.length, length).toBeLessThanOrEqual(options.explanationLimit ?? 200);
          expect(instance.render(), `render() after oracle() and explain(), seed ${seed}`).toBe(
            (await play(create(), seed)).renders[0],
          );
        }
        // by chance a later action of the plan may not be possible any more
        const certain = noise === false ? plan : plan.slice(0, 1);
        let { actions } = observation;
        for (const [index, action] of certain.entries()) {
          if (actions === undefined) break;
          expect(
            actions,
            `the actions that the plan's action ${index + 1} is one of, seed ${seed}`,
          ).toContain(action);
          const result = await instance.step(action);
          if (result.done) break;
          ({ actions } = result.observation);
        }
      }
    });

    it('is not changed by its oracle', async () => {
      if (create().oracle === undefined) return;
      // an oracle that is not asked in every turn may be slow
      const isSlow = definition.reads?.(params).plans === false;
      for (const seed of isSlow ? seeds.slice(0, 2) : seeds) {
        const asked = create();
        const plain = await play(create(), seed, seed + 1, isSlow ? 2 : undefined);
        const results = [];
        await asked.reset({ state: seed, noise: seed + 1 });
        for (const action of plain.actions) {
          expect(asked.oracle!()).toEqual(asked.oracle!());
          results.push(await asked.step(action));
        }
        expect(results).toEqual(plain.results);
      }
    });

    const solvable = options.oracleSolves !== undefined || options.solve !== undefined;
    if (!solvable) return;
    it('is solved by its plan', async () => {
      const unsolved: number[] = [];
      for (const seed of seeds) {
        const instance = create();
        const observation = await instance.reset({ state: seed, noise: seed });
        const plan = options.solve?.(instance, observation) ?? instance.oracle?.() ?? [];
        let success = false;
        for (const action of plan) {
          const result = await instance.step(action);
          success = result.done && result.success;
          if (result.done) break;
        }
        if (!success) unsolved.push(seed);
      }
      expect(
        1 - unsolved.length / seeds.length,
        `the share of states that the plan solves; not those of the seeds ${unsolved.join(', ')}`,
      ).toBeGreaterThanOrEqual(options.oracleSolves ?? 1);
    });
  });
}
