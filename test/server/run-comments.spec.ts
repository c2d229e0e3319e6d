import { createClient } from '@espalier/client';
import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { AuditEntry } from '../../apps/server/src/core/database/entities/audit-entry.js';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { RunComment } from '../../apps/server/src/core/database/entities/run-comment.js';
import { ask, call } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { writeRatedRun } from '../support/rated-run.js';
import { createWriter, type EventWriter } from '../support/write-events.js';

describeOnEach('comments on runs', (server) => {
  /** A run of 12 steps. */
  const createRun = async (): Promise<EventWriter> => {
    const writer = await createWriter(server());
    await server().app.get(DataSource).getRepository(Run).update({ id: writer.runId }, { steps: 12 });
    return writer;
  };
  const mutate = async (field: string, input: object, key = server().adminKey) => {
    const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { result: ${field}(input: $input) {
      ... on RunComment { id createdBy text step } ... on Refusal { code } } }`;
    const { body } = await ask(server().url, key, query, { input });
    expect(body.errors).toBeUndefined();
    return body.data?.['result'] as Record<string, unknown>;
  };
  const listed = async (runId: string, args = '') => {
    const query = `{ run(id: "${runId}") { comments${args} { totalCount nodes { text } pageInfo { hasNextPage } } } }`;
    const { body } = await ask(server().url, server().adminKey, query);
    return (body.data?.['run'] as { comments: unknown } | undefined)?.comments;
  };
  const actions = async (subject: string) =>
    (
      await server()
        .app.get(DataSource)
        .getRepository(AuditEntry)
        .find({ where: { subject }, order: { id: 'ASC' } })
    ).map(({ action, keyName }) => `${keyName} ${action}`);

  it('are added, listed in order, deleted and audited', async () => {
    const { runId } = await createRun();
    const ann = await server().createKey({ name: 'ann', role: 'operator', projects: ['default'] });
    const first = await mutate('addRunComment', { runId, text: ' loops\nhere ', step: 12 }, ann);
    expect(first).toMatchObject({ createdBy: 'ann', text: 'loops\nhere', step: 12 });
    await mutate('addRunComment', { runId, text: 'no more' });
    const two = { totalCount: 2, nodes: [{ text: 'loops\nhere' }], pageInfo: { hasNextPage: true } };
    expect(await listed(runId, '(first: 1)')).toEqual(two);
    expect(await mutate('deleteRunComment', { runId, commentId: first['id'] }, ann)).toMatchObject({
      step: 12,
    });
    expect(await mutate('deleteRunComment', { runId, commentId: first['id'] })).toEqual({
      code: 'server.not_found',
    });
    expect(await listed(runId)).toMatchObject({ totalCount: 1, nodes: [{ text: 'no more' }] });
    expect(await actions(runId)).toEqual([
      'ann run.comment',
      'admin run.comment',
      'ann run.uncomment',
      'admin deleteRunComment',
    ]);
  });

  it('are refused when they are about a step beyond the run', async () => {
    const { runId } = await createRun();
    const { body } = await call(server().url, server().adminKey, 'POST', `/api/v1/runs/${runId}/comments`, {
      text: 'late',
      step: 13,
    });
    expect(body).toMatchObject({
      code: 'run.not_possible',
      message: `comment on run ${runId}: step 13 is beyond the run; its last is 12`,
    });
    expect(await mutate('addRunComment', { runId, text: 'at its end', step: 12 })).toMatchObject({
      step: 12,
    });
    expect(await listed(runId)).toMatchObject({ totalCount: 1 });
  });

  it('are refused when empty, without the role, in another project, or past the most', async () => {
    const { runId } = await createRun();
    const viewer = await server().createKey({ name: 'v', role: 'viewer', projects: ['default'] });
    const other = await server().createKey({ name: 'o', role: 'operator', projects: ['elsewhere'] });
    expect(await mutate('addRunComment', { runId, text: '  ' })).toEqual({ code: 'server.invalid_input' });
    expect(await mutate('addRunComment', { runId, text: 'x' }, other)).toEqual({ code: 'server.not_found' });
    const { body } = await ask(
      server().url,
      viewer,
      `mutation { addRunComment(input: { runId: "${runId}", text: "x" }) { __typename } }`,
    );
    expect(body.errors?.[0]?.extensions.code).toBe('access.denied');
    const many = Array.from({ length: 1000 }, (_, index) => ({
      id: `comment-${runId}-${index}`,
      runId,
      createdAt: index,
      createdBy: 'x',
      text: 'x',
      step: null,
      idempotencyKey: null,
    }));
    for (let from = 0; from < many.length; from += 100)
      await server()
        .app.get(DataSource)
        .getRepository(RunComment)
        .insert(many.slice(from, from + 100));
    expect(await mutate('addRunComment', { runId, text: 'one more' })).toEqual({ code: 'run.not_possible' });
  });

  it('are added once for a request that is repeated', async () => {
    const { runId } = await createRun();
    const request = { runId, text: 'once', idempotencyKey: 'k-1' };
    const answers = await Promise.all([1, 2, 3].map(() => mutate('addRunComment', request)));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(await listed(runId)).toMatchObject({ totalCount: 1 });
    expect(await mutate('addRunComment', { ...request, text: 'twice' })).toEqual({
      code: 'run.idempotency_key_reused',
    });
  });

  it('are the same over REST and in the client, exported with the run and deleted with it', async () => {
    const { runId } = await createRun();
    const { url, adminKey, app } = server();
    const path = `/api/v1/runs/${runId}/comments`;
    const header = { 'idempotency-key': 'a' };
    const added = await call(url, adminKey, 'POST', path, { text: 'over REST' }, header);
    expect(added.status).toBe(201);
    expect((await call(url, adminKey, 'POST', path, { text: 'over REST' }, header)).body).toEqual(added.body);
    const client = createClient({ url, key: adminKey });
    await client.runs.comment(runId, { text: 'from the client', step: 3 });
    const known = await client.runs.comments(runId);
    expect((await call(url, adminKey, 'GET', path)).body['items']).toEqual(known);
    const exported = await call(url, adminKey, 'GET', `/api/v1/runs/${runId}/export/run.json`);
    expect(exported.body['comments']).toEqual(known);
    const id = known[0]?.id ?? '';
    expect((await call(url, adminKey, 'DELETE', `${path}/${id}`)).body).toEqual(added.body);
    expect(await client.runs.deleteComment(runId, known[1]?.id ?? '')).toMatchObject({ step: 3 });
    const without = await call(url, adminKey, 'GET', `/api/v1/runs/${runId}/export/run.json`);
    expect(without.body['comments']).toEqual([]);
    await client.runs.comment(runId, { text: 'left' });
    await app.get(DataSource).getRepository(Job).update({ runId }, { state: 'finished' });
    await client.runs.delete(runId);
    expect(await app.get(DataSource).getRepository(RunComment).countBy({ runId })).toBe(0);
    await client.dispose();
  });

  it('belong to places, are answered in threads, and are changed by whoever wrote them', async () => {
    const { runId } = await writeRatedRun(server());
    const { url, adminKey } = server();
    const connect = async (name: string) =>
      createClient({ url, key: await server().createKey({ name, role: 'operator', projects: ['default'] }) });
    const [ann, bob] = [await connect('ann-c'), await connect('bob-c')];
    const changes = ann.runs.watchComments(runId);
    const next = changes.next();
    const trajectoryId = 'validation/10/2/0';
    // the subscription is open once something arrives; until then comments are added
    const place = { trajectoryId, turn: 1, tokenStart: 1, tokenEnd: 3 };
    const first = await ann.runs.comment(runId, { text: 'see here', ...place });
    const poll = setInterval(() => void bob.runs.comment(runId, { text: 'ping' }), 300);
    expect((await next).value).toMatchObject({ isDeleted: false, comment: { runId } });
    clearInterval(poll);
    await changes.return(undefined);
    const answer = await bob.runs.comment(runId, { text: 'I do', parentId: first.id });
    const deeper = await ann.runs.comment(runId, { text: 'good', parentId: answer.id });
    expect(answer).toMatchObject({ ...place, parentId: first.id });
    expect(deeper.parentId).toBe(first.id);
    const edited = await ann.runs.editComment(runId, first.id, 'look here');
    expect(edited).toMatchObject({ text: 'look here', editedAt: expect.any(String) });
    const codeOf = (work: Promise<unknown>) =>
      work.catch((error: unknown) => (error as { details: { code: string } }).details.code);
    expect(await codeOf(bob.runs.editComment(runId, first.id, 'mine'))).toBe('run.not_possible');
    expect(await codeOf(bob.runs.deleteComment(runId, first.id))).toBe('run.not_possible');
    await ann.runs.deleteComment(runId, first.id);
    const left = await bob.runs.comments(runId, { trajectoryId });
    expect(left.map(({ text, deletedAt }) => [text, deletedAt !== null])).toEqual([
      ['', true],
      ['I do', false],
      ['good', false],
    ]);
    const admin = createClient({ url, key: adminKey });
    await admin.runs.deleteComment(runId, answer.id);
    expect(await codeOf(admin.runs.editComment(runId, deeper.id, 'x'))).toBe('run.not_possible');
    const refuse = (given: object) => codeOf(ann.runs.comment(runId, { text: 'x', ...given }));
    expect(await refuse({ trajectoryId: 'train/9/9/9' })).toBe('server.not_found');
    expect(await refuse({ trajectoryId, turn: 2 })).toBe('run.not_possible');
    expect(await refuse({ trajectoryId, tokenStart: 2, tokenEnd: 4 })).toBe('run.not_possible');
    expect(await refuse({ trajectoryId, tokenStart: 2 })).toBe('run.not_possible');
    expect(await refuse({ turn: 0 })).toBe('run.not_possible');
    expect(await refuse({ alertId: 'alert-none' })).toBe('server.not_found');
    expect(await refuse({ parentId: 'comment-none' })).toBe('server.not_found');
    for (const client of [ann, bob, admin]) await client.dispose();
  });
});
