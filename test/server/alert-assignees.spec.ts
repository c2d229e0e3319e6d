/** @file Who looks after alerts: assigned, acknowledged together, filtered, pushed and audited. */
import { createClient } from '@espalier/client';
import { waitFor } from '@espalier/testing';
import { expect, it } from 'vitest';
import { call } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { ratedSteps, writeRatedRun } from '../support/rated-run.js';

describeOnEach('alerts and who looks after them', (server) => {
  const clientOf = (key: string) => createClient({ url: server().url, key });
  const keyOf = async (name: string, role: 'viewer' | 'operator', projects: string[]): Promise<string> =>
    server().createKey({ name, role, projects });

  it('are assigned to a key that may act there, or to nobody', async () => {
    const [ann, , elsewhere, viewer] = await Promise.all([
      keyOf('ann', 'operator', ['default']),
      keyOf('bob', 'operator', ['default']),
      keyOf('eve', 'operator', ['elsewhere']),
      keyOf('vic', 'viewer', ['default']),
    ]);
    const { runId } = await writeRatedRun(server());
    const client = clientOf(ann);
    const [alert] = (await client.overview.alerts({ runId })).items;
    const id = alert?.id ?? '';
    expect(alert).toMatchObject({
      project: 'default',
      step: ratedSteps.alarm,
      rules: ['entropy-fall'],
      assignee: null,
    });
    const assignees = await client.overview.assignees('default');
    expect(assignees.map(({ name }) => name)).toEqual(expect.arrayContaining(['admin', 'ann', 'bob']));
    expect(assignees.map(({ name }) => name)).not.toContain('eve');
    expect(assignees.map(({ name }) => name)).not.toContain('vic');
    expect(await clientOf(elsewhere).overview.assignees('default')).toEqual([]);

    const pushed: unknown[] = [];
    const watch = async (): Promise<void> => {
      for await (const change of client.live.alerts(runId)) pushed.push(change.assignee);
    };
    const watching = watch().catch(() => undefined);
    const bob = assignees.find(({ name }) => name === 'bob')?.keyId ?? '';
    await waitFor('the assignee is pushed', async () => {
      await client.overview.assign(id, bob);
      return pushed.includes('bob');
    });
    const listed = async (filter: object): Promise<string[]> =>
      (await client.overview.alerts({ runId, ...filter })).items.map((one) => one.id);
    expect(await listed({ assignee: 'bob' })).toEqual([id]);
    expect(await listed({ assignee: 'ann' })).toEqual([]);
    expect(await listed({ assigned: false })).toEqual([]);
    expect((await client.verdicts.alarms({ runId }))[0]).toMatchObject({ assignee: 'bob', assigneeId: bob });

    // a viewer, a key that cannot see the alert, and a key that could not act on it
    await expect(clientOf(viewer).overview.assign(id, bob)).rejects.toThrow('operator');
    await expect(clientOf(elsewhere).overview.assign(id, bob)).rejects.toThrow('there is no such alert');
    const all = await clientOf(server().adminKey).keys.list();
    const eve = all.items.find(({ name }) => name === 'eve')?.id ?? '';
    await expect(client.overview.assign(id, eve)).rejects.toThrow('no operator or admin key');
    expect(await listed({ assignee: 'bob' })).toEqual([id]);

    const { body } = await call(server().url, ann, 'PUT', `/api/v1/alerts/${id}/assignee`, { keyId: null });
    expect(body).toMatchObject({ id, assignee: null, assigneeId: null });
    expect(await listed({ assigned: false })).toEqual([id]);
    const { body: audit } = await call(
      server().url,
      server().adminKey,
      'GET',
      `/api/v1/audit?action=alert.assign&subject=${id}&outcome=done`,
    );
    const [last] = audit['items'] as { keyName: string; detail: unknown }[];
    expect(last).toMatchObject({ keyName: 'ann', detail: { assignee: null } });
    await client.dispose();
    await watching;
  });

  it('are acknowledged together, all or none', async () => {
    const runs = [await writeRatedRun(server()), await writeRatedRun(server())];
    const ann = await keyOf('ann-2', 'operator', ['default']);
    const client = clientOf(ann);
    const idOf = async (runId: string): Promise<string> =>
      (await client.overview.alerts({ runId })).items[0]?.id ?? '';
    const ids = await Promise.all(runs.map(({ runId }) => idOf(runId)));
    const open = async (): Promise<string[]> =>
      (await client.overview.alerts({ open: true })).items
        .map(({ id }) => id)
        .filter((id) => ids.includes(id));
    await expect(client.overview.acknowledgeAll([...ids, 'alert-none'])).rejects.toThrow(
      'there is no such alert',
    );
    expect((await open()).toSorted()).toEqual(ids.toSorted());
    await client.overview.acknowledgeAll(ids);
    expect(await open()).toEqual([]);
    expect((await client.overview.alerts({ runId: runs[0]?.runId ?? '' })).items[0]).toMatchObject({
      acknowledgedBy: 'ann-2',
    });
    await client.dispose();
  });

  it('are found by the rule that fired', async () => {
    const { runId } = await writeRatedRun(server());
    const client = clientOf(server().adminKey);
    const found = async (rule: 'entropy-fall' | 'entropy-rise') =>
      (await client.overview.alerts({ runId, rule })).items.length;
    expect([await found('entropy-fall'), await found('entropy-rise')]).toEqual([1, 0]);
    await client.dispose();
  });
});
