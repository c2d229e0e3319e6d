import { expect, it } from 'vitest';
import { ask, call } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { trajectoryEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

const source = [
  'environments:',
  '  lake: { environment: { use: frozen-lake }, weight: 3 }',
  '  arms: { environment: { use: bandit }, weight: 1, rewards: [{ use: environment-return }] }',
  'algorithm: { use: starpo-s, keepRatio: 0.5 }',
  'steps: 3',
  'validation: { environments: { boxes: { environment: { use: sokoban } } } }',
].join('\n');

describeOnEach('a run in several environments', (server) => {
  const query = async (
    text: string,
    variables: Record<string, unknown>,
  ): Promise<Record<string, unknown>> => {
    const { body } = await ask(server().url, server().adminKey, text, variables);
    expect(body.errors).toBeUndefined();
    return body.data as Record<string, unknown>;
  };

  const rest = (method: string, path: string, body?: unknown) =>
    call(server().url, server().adminKey, method, `/api/v1${path}`, body);

  it('is planned with the share of each tag, and created', async () => {
    const plan = `mutation ($input: PlanRunInput!) { planRun(input: $input) { ... on RunPlan {
      derived { keptGroupsPerStep tags { tag groups share trajectoriesPerStep keptGroupsPerStep } }
      plugins { kind id } } } }`;
    const { planRun } = (await query(plan, { input: { source, estimate: false } })) as {
      planRun: { derived: object; plugins: { kind: string; id: string }[] };
    };
    expect(planRun.derived).toEqual({
      keptGroupsPerStep: 4,
      tags: [
        { tag: 'lake', groups: 6, share: 0.75, trajectoriesPerStep: 96, keptGroupsPerStep: 3 },
        { tag: 'arms', groups: 2, share: 0.25, trajectoriesPerStep: 32, keptGroupsPerStep: 1 },
      ],
    });
    const environments = planRun.plugins.filter(({ kind }) => kind === 'ENVIRONMENT').map(({ id }) => id);
    expect(environments).toEqual(['frozen-lake', 'bandit', 'sokoban']);
    const made = await rest('POST', '/runs', { source });
    expect(made.status).toBe(201);
    const { spec, name } = made.body as { spec: { environments: object }; name: string };
    expect([Object.keys(spec.environments), name]).toEqual([['lake', 'arms'], 'mixed-starpo-s']);
    const { body } = await rest('GET', '/runs?text=boxes%20sokoban');
    expect((body as { items: unknown[] }).items).toHaveLength(1);
  });

  it('is refused with both numbers where shares contradict each other', async () => {
    const both = source.replace('weight: 1', 'groups: 2');
    const { status, body } = await rest('POST', '/runs', { source: both });
    expect(status).toBe(422);
    expect((body as { message: string }).message).toContain(
      'environments.arms.groups 2 and environments.lake.weight 3',
    );
  });

  it('has trajectories that carry their tag, and are found by it', async () => {
    const writer = await createWriter(server());
    await writer.write([
      trajectoryEvent(1, 0, { environmentTag: 'lake' }),
      trajectoryEvent(1, 1, { environmentTag: 'arms' }),
      trajectoryEvent(1, 2),
    ]);
    const text = `query ($filter: TrajectorySearch) { trajectories(filter: $filter) { nodes { index environmentTag } } }`;
    const runIds = [writer.runId];
    const all = await query(text, { filter: { runIds } });
    expect(all['trajectories']).toEqual({
      nodes: [
        { index: 0, environmentTag: 'lake' },
        { index: 1, environmentTag: 'arms' },
        { index: 2, environmentTag: null },
      ],
    });
    const arms = await query(text, { filter: { runIds, environmentTag: 'arms' } });
    expect(arms['trajectories']).toEqual({ nodes: [{ index: 1, environmentTag: 'arms' }] });
    const path = `/runs/${writer.runId}/trajectories?environmentTag=lake`;
    const { body } = await rest('GET', path);
    expect((body as { items: object[] }).items).toMatchObject([{ index: 0, environmentTag: 'lake' }]);
  });
});
