import { GraphQLSchemaHost } from '@nestjs/graphql';
import { isRequiredArgument } from 'graphql';
import { beforeAll, expect, it } from 'vitest';
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
    ['editRun', 'input: { tags: [""] }', 'InvalidInput', 'run.invalid_request'],
    ['editRun', `input: { note: "${'x'.repeat(20_001)}" }`, 'InvalidInput', 'run.invalid_request'],
    ['setRunPriority', 'priority: 101', 'InvalidInput', 'run.invalid_request'],
    ['forkRun', 'input: { tags: [""] }', 'InvalidInput', 'run.invalid_request'],
    ['evaluateRun', 'input: { episodes: 0 }', 'InvalidInput', 'run.invalid_request'],
    ['evaluateRun', 'input: { step: 2 }', 'NotPossible', 'run.not_possible'],
    ['resumeRun', '', 'WrongState', 'run.wrong_state'],
  ])('are members of the result of %s(%s)', async (name, more, type, code) => {
    const { body } = await ask(
      server.url,
      server.adminKey,
      `mutation { ${name}(runId: "${run}", ${more}) { ${refusal} } }`,
    );
    expect(body.errors).toBeUndefined();
    expect(body.data?.[name]).toMatchObject({ __typename: type, code });
  });

  it('tell of a project that the key does not have', async () => {
    const key = await server.createKey({ name: 'other', role: 'operator', projects: ['other'] });
    const { body } = await ask(
      server.url,
      key,
      `mutation { createRun(input: { source: "x: 1", project: "default" }) { ${refusal} } }`,
    );
    expect(body.data?.['createRun']).toMatchObject({ __typename: 'NotPossible', code: 'access.denied' });
  });

  it('tell every mutation of an unknown id', async () => {
    const { schema } = server.app.get(GraphQLSchemaHost, { strict: false });
    const further: Readonly<Record<string, string>> = {
      ...{
        'forkRun input': '{ step: 0 }',
        'evaluateRun input': '{ step: 0 }',
        'editRun input': '{ note: "n" }',
      },
      priority: '1',
    };
    const asked: string[] = [];
    for (const { name, args } of Object.values(schema.getMutationType()?.getFields() ?? {})) {
      const id = args.find((arg) => arg.name === 'id' || arg.name === 'runId');
      if (id === undefined) continue;
      const given = args
        .filter((arg) => arg !== id && isRequiredArgument(arg))
        .map((arg) => `${arg.name}: ${further[`${name} ${arg.name}`] ?? further[arg.name]}`);
      const query = `mutation { ${name}(${[`${id.name}: "none"`, ...given].join(', ')}) { __typename ... on Refusal { code } } }`;
      const { body } = await ask(server.url, server.adminKey, query);
      expect([name, body.errors]).toEqual([name, undefined]);
      expect([name, body.data?.[name]]).toMatchObject([
        name,
        { __typename: 'NotFound', code: 'server.not_found' },
      ]);
      asked.push(name);
    }
    expect(asked.length).toBeGreaterThan(15);
  });

  it('are not needed where plugins load well', async () => {
    const query = `mutation { reloadPlugins { __typename ... on LoadedPlugins { items { kind id } } } }`;
    const { body } = await ask(server.url, server.adminKey, query);
    expect(body.data?.['reloadPlugins']).toMatchObject({ __typename: 'LoadedPlugins' });
  });
});
