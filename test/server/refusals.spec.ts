import { GraphQLSchemaHost } from '@nestjs/graphql';
import {
  getNamedType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isRequiredInputField,
  isUnionType,
} from 'graphql';
import { DataSource } from 'typeorm';
import { beforeAll, expect, it } from 'vitest';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { RunComment } from '../../apps/server/src/core/database/entities/run-comment.js';
import { ask, call } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import type { TestServer } from '../support/start-server.js';

describeOnEach('expected refusals of mutations', (current) => {
  let server: TestServer;
  let run: string;
  beforeAll(async () => {
    server = current();
    const source = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n';
    const { body } = await call(server.url, server.adminKey, 'POST', '/api/v1/runs', { source });
    run = String(body['id']);
  }, 60_000);

  const refusal = '__typename ... on Refusal { code message remedy ... on InvalidInput { problems } }';

  it.each([
    ['editRun', 'tags: [""]', 'InvalidInput', 'server.invalid_input'],
    ['editRun', `note: "${'x'.repeat(20_001)}"`, 'InvalidInput', 'server.invalid_input'],
    ['editRun', 'priority: 101', 'InvalidInput', 'server.invalid_input'],
    ['forkRun', 'tags: [""]', 'InvalidInput', 'server.invalid_input'],
    ['evaluateRun', 'episodes: 0', 'InvalidInput', 'server.invalid_input'],
    ['evaluateRun', 'step: 2', 'NotPossible', 'run.not_possible'],
    ['resumeRun', '', 'WrongState', 'run.wrong_state'],
  ])('are members of the result of %s(%s)', async (name, more, type, code) => {
    const { body } = await ask(
      server.url,
      server.adminKey,
      `mutation { ${name}(input: { runId: "${run}", ${more} }) { ${refusal} } }`,
    );
    expect(body.errors).toBeUndefined();
    expect(body.data?.[name]).toMatchObject({ __typename: type, code });
  });

  it.each(['createRun', 'planRun'])('tell %s of a project that the key does not have', async (name) => {
    const key = await server.createKey({ name: `other ${name}`, role: 'operator', projects: ['other'] });
    const { body } = await ask(
      server.url,
      key,
      `mutation { ${name}(input: { source: "x: 1", project: "default" }) { ${refusal} } }`,
    );
    expect(body.data?.[name]).toMatchObject({ __typename: 'NotPossible', code: 'access.denied' });
  });

  it('tell every mutation of an unknown id', async () => {
    const { schema } = server.app.get(GraphQLSchemaHost, { strict: false });
    const asked: string[] = [];
    for (const { name, args } of Object.values(schema.getMutationType()?.getFields() ?? {})) {
      const input = args[0] && getNamedType(args[0].type);
      const required = isInputObjectType(input)
        ? Object.values(input.getFields()).filter((field) => isRequiredInputField(field))
        : [];
      if (!required.some((field) => getNamedType(field.type).name === 'ID')) continue;
      if (name === 'bulkRuns') continue; // answers for each run
      const valueOf = (type: GraphQLInputType): string => {
        const named = getNamedType(type);
        if (isEnumType(named)) return named.getValues()[0]?.name ?? '';
        return named.name === 'Int' ? '0' : '"none"';
      };
      const given = required.map((field) => `${field.name}: ${valueOf(field.type)}`);
      const query = `mutation { ${name}(input: { ${given.join(', ')} }) { __typename ... on Refusal { code } } }`;
      const { body } = await ask(server.url, server.adminKey, query);
      expect([name, body.errors]).toEqual([name, undefined]);
      expect([name, body.data?.[name]]).toMatchObject([
        name,
        { __typename: 'NotFound', code: 'server.not_found' },
      ]);
      asked.push(name);
    }
    expect(asked.length).toBeGreaterThan(14);
  });

  it('all occur: each member of each union', async () => {
    const { schema } = server.app.get(GraphQLSchemaHost, { strict: false });
    const mutations = schema.getMutationType()?.getFields() ?? {};
    const occurred = new Set<string>();
    const mutate = async (call: string): Promise<void> => {
      const name = call.slice(0, call.search(/\W|$/));
      const inner = name === 'bulkRuns' ? '... on BulkRuns { results { result { __typename } } }' : '';
      const query = `mutation { ${call} { __typename ${inner} } }`;
      const { body } = await ask(server.url, server.adminKey, query);
      expect([call, body.errors]).toEqual([call, undefined]);
      const answer = body.data?.[name] as {
        __typename: string;
        results?: { result: { __typename: string } }[];
      };
      occurred.add(`${String(mutations[name]?.type)} ${answer.__typename}`);
      for (const { result } of answer.results ?? []) occurred.add(`BulkRunResult ${result.__typename}`);
    };
    /** as many as a run may have */
    const tags = (prefix: string): string =>
      Array.from({ length: 32 }, (_, index) => `"${prefix}${index}"`).join(', ');
    const source = 'environment: { use: bandit }\\nalgorithm: { use: grpo }\\nsteps: 3';
    const { body: made } = await call(server.url, server.adminKey, 'POST', '/api/v1/runs', {
      source: source.replaceAll('\\n', '\n'),
    });
    const imported = String(made['id']);
    const runs = server.app.get(DataSource).getRepository(Run);
    const jobs = server.app.get(DataSource).getRepository(Job);
    const training = await jobs.findOneByOrFail({ runId: run });
    const evaluation: Job = {
      ...training,
      id: 'job-evaluated',
      kind: 'evaluate',
      state: 'finished',
      endedAt: 1,
    };
    await jobs.insert(evaluation as never);
    const comments = Array.from({ length: 1000 }, (_, index): Partial<RunComment> => {
      const id = `comment-${index}`;
      return { id, runId: run, createdAt: 1, createdBy: 'a', text: 'b', step: null, idempotencyKey: null };
    });
    await server.app.get(DataSource).getRepository(RunComment).insert(comments);
    await server.createKey({ name: 'second', role: 'viewer' });
    const { body: listed } = await call(server.url, server.adminKey, 'GET', '/api/v1/keys');
    const keyOf = (wanted: string) =>
      (listed['items'] as { id: string; name: string }[]).find(({ name }) => name === wanted)?.id;
    for (const mutation of [
      'createKey(input: { name: " ", role: VIEWER })',
      'createRun(input: { source: "x: 1" })',
      'planRun(input: { source: "x: 1", estimate: false })',
      `forkRun(input: { runId: "${run}", tags: [""] })`,
      `forkRun(input: { runId: "${run}" })`,
      `planFork(input: { runId: "${run}", tags: [""] })`,
      `planFork(input: { runId: "${run}" })`,
      `evaluateRun(input: { runId: "${run}", episodes: 0 })`,
      `evaluateRun(input: { runId: "${run}", step: 2 })`,
      `startChat(input: { runId: "${run}", step: -1 })`,
      `startChat(input: { runId: "${run}", step: 2 })`,
      `editRun(input: { runId: "${run}", tags: [""] })`,
      `addRunComment(input: { runId: "${run}", text: " " })`,
      `editRunComment(input: { runId: "${run}", commentId: "comment-1", text: " " })`,
      `editRunComment(input: { runId: "${run}", commentId: "comment-1", text: "mine" })`,
      'acknowledgeAlerts(input: { alertIds: [] })',
      `judgeAlert(input: { alertId: "x", judgement: UNCLEAR, reason: "${'x'.repeat(20_001)}" })`,
      'createRatingSet(input: { kind: PAIRWISE, sources: [] })',
      `createRatingSet(input: { kind: RUBRIC, sources: [{ runId: "${run}" }] })`,
      `addRunComment(input: { runId: "${run}", text: "one too many" })`,
      `resumeRun(input: { runId: "${run}" })`,
      `cancelEvaluation(input: { runId: "${run}", jobId: "${evaluation.id}" })`,
      `deleteRun(input: { runId: "${imported}" })`,
      `cancelRun(input: { runId: "${imported}" })`,
      `revokeKey(input: { keyId: "${keyOf('second')}" })`,
      `rotateKey(input: { keyId: "${keyOf('second')}" })`,
      'createTicket(input: { purpose: DOWNLOAD })',
      'showView(input: { path: "//elsewhere.example" })',
      'bulkRuns(input: { action: TAG, runIds: [] })',
      `bulkRuns(input: { action: RESUME, runIds: ["${run}"] })`,
      `editRun(input: { runId: "${imported}", tags: [${tags('a')}] })`,
      `bulkRuns(input: { action: TAG, runIds: ["${imported}"], addTags: [${tags('b')}] })`,
    ])
      await mutate(mutation);
    await runs.update({ id: imported }, { imported: true });
    for (const mutation of [
      `pauseRun(input: { runId: "${imported}" })`,
      `bulkRuns(input: { action: PAUSE, runIds: ["${imported}"] })`,
      `editRun(input: { runId: "${imported}", priority: 1 })`,
    ])
      await mutate(mutation);
    const missing = Object.values(schema.getTypeMap())
      .filter((type) => isUnionType(type))
      .flatMap((union) => union.getTypes().map(({ name }) => `${union.name} ${name}`))
      .filter((member) => /(InvalidInput|WrongState|NotPossible)$/.test(member) && !occurred.has(member));
    expect(missing.sort()).toEqual([
      // above: a project that the key does not have
      'CreateRunResult NotPossible',
      // run-comments.spec.ts: a comment that somebody else wrote
      'DeleteRunCommentResult NotPossible',
      // fork-guards.spec.ts: a run whose checkpoint a fork needs
      'DeleteRunResult NotPossible',
      // test/e2e/worker-drain.spec.ts: a deadline for a worker that is away
      'DrainWorkerResult NotPossible',
      // worker-cleanup.spec.ts: a worker with jobs
      'ForgetWorkerResult NotPossible',
      // above: a project that the key does not have
      'PlanRunResult NotPossible',
      // ratings.spec.ts: scores for a pair, and an item that is rated
      'RateItemResult InvalidInput',
      'RateItemResult NotPossible',
      // ratings.spec.ts: a set that somebody else made, or that is not rated
      'RatingSetResult NotPossible',
      // plugin-catalogue.spec.ts: a list of plugins that cannot be read
      'ReloadPluginsResult NotPossible',
      // keys.spec.ts: the last admin key
      'RevokeKeyResult NotPossible',
      // ratings.spec.ts: an item that is not rated
      'UndoRatingResult NotPossible',
    ]);
  });

  it('are not needed where plugins load well', async () => {
    const query = `mutation { reloadPlugins { __typename ... on LoadedPlugins { plugins { kind id } } } }`;
    const { body } = await ask(server.url, server.adminKey, query);
    expect(body.data?.['reloadPlugins']).toMatchObject({ __typename: 'LoadedPlugins' });
  });
});
