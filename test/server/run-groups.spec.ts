import { createClient } from '@espalier/client';
import { expect, it } from 'vitest';
import { ask, call } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';

const source = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n';
const needs = { labels: ['nowhere'] };

describeOnEach('groups of runs', (server) => {
  const create = async (group: string | undefined, project: string): Promise<string> => {
    const body = { source, project, needs, ...(group === undefined ? {} : { group }) };
    return String((await call(server().url, server().adminKey, 'POST', '/api/v1/runs', body)).body['id']);
  };

  it('are counted by state, page by page, and find their runs', async () => {
    const sweep = [await create('sweep', 'grouped'), await create('sweep', 'grouped')];
    await create(' seeds ', 'grouped');
    await create('sweep', 'grouped-too');
    await create(undefined, 'grouped');
    const client = createClient({ url: server().url, key: server().adminKey });
    await client.runs.cancel(sweep[1] ?? '', { now: true });
    const found = await client.runs.list({ project: 'grouped', group: 'sweep' });
    expect(found.items.map(({ id }) => id).sort()).toEqual([...sweep].sort());
    expect((await client.runs.list({ project: 'grouped', group: '' })).items).toHaveLength(1);
    const page =
      'nodes { project name runs states { state runs } } totalCount pageInfo { endCursor hasNextPage }';
    const list = async (args: string, key = server().adminKey) =>
      (await ask(server().url, key, `{ runGroups(${args}) { ${page} } }`)).body.data?.['runGroups'] as {
        pageInfo: { endCursor: string };
      };
    const first = await list('first: 2');
    expect(first).toMatchObject({
      nodes: [
        { project: 'grouped', name: 'seeds', runs: 1, states: [{ state: 'QUEUED', runs: 1 }] },
        {
          project: 'grouped',
          name: 'sweep',
          runs: 2,
          states: [
            { state: 'CANCELLED', runs: 1 },
            { state: 'QUEUED', runs: 1 },
          ],
        },
      ],
      totalCount: 3,
      pageInfo: { hasNextPage: true },
    });
    const too = { project: 'grouped-too', name: 'sweep', runs: 1, states: [{ state: 'QUEUED', runs: 1 }] };
    expect(await list(`after: "${first.pageInfo.endCursor}"`)).toMatchObject({ nodes: [too] });
    const key = await server().createKey({ name: 'v', role: 'viewer', projects: ['grouped-too'] });
    expect(await list('first: 5', key)).toMatchObject({ nodes: [too], totalCount: 1 });
    const rest = await call(server().url, key, 'GET', '/api/v1/run-groups?project=grouped-too');
    expect(rest.body['items']).toMatchObject([{ name: 'sweep', newestRunAt: expect.any(String) as string }]);
    await client.runs.edit(sweep[0] ?? '', { group: 'baseline' });
    const { body } = await call(server().url, server().adminKey, 'GET', `/api/v1/runs/${sweep[0]}/events`);
    expect((body['records'] as object[]).at(-1)).toMatchObject({ kind: 'note', body: { group: 'baseline' } });
    expect((await client.runs.list({ group: 'baseline' })).items).toMatchObject([{ id: sweep[0] }]);
    expect((await client.runs.list({ text: 'baseline' })).items).toMatchObject([{ id: sweep[0] }]);
    await client.dispose();
  });

  it('are not needed to start a run from a recipe', async () => {
    const { body } = await ask(
      server().url,
      server().adminKey,
      '{ recipes { name title description spec source } }',
    );
    const recipes = body.data?.['recipes'] as { name: string; title: string; spec: object }[];
    const recipe = recipes.find(({ name }) => name === 'bandit-grpo');
    expect(recipe?.title).toMatch(/^Two arms/);
    const given = { spec: recipe?.spec, overrides: ['steps=2'], needs, project: 'recipes' };
    const run = await call(server().url, server().adminKey, 'POST', '/api/v1/runs', given);
    expect([run.status, run.body['steps']]).toEqual([201, 2]);
    const rest = await call(server().url, server().adminKey, 'GET', '/api/v1/recipes');
    expect(rest.body['items']).toEqual(recipes);
  });
});
