/** @file Webhooks over real HTTP: what they are told, in which order, once the receiver is there, and across a restart. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newAlert } from '../../apps/server/src/core/history/alerts/alert.service.js';
import { postWebhook } from '../../apps/server/src/core/history/alerts/post-webhook.js';
import { RunLog } from '../../apps/server/src/core/database/run-log.js';
import { serverOptions } from '@espalier/server';
import { call } from '../support/ask.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

interface Message {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly text: string; readonly data: Record<string, unknown> };
}

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const source = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n';
let receiver: Server;
let url = '';
let statusOfDown = 200;
let messages: Message[] = [];
let server: TestServer | undefined;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const text = Buffer.concat(chunks).toString();
      messages.push({ path, headers, text, body: JSON.parse(text) as Message['body'] });
      const status = path === '/down' ? statusOfDown : 200;
      response.writeHead(status, status === 429 ? { 'retry-after': '2' } : {});
      response.end(status === 200 ? '' : 'no_service\u001b[31m');
    });
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  server = await startTestServer({
    webhooks: [
      { name: 'chat', url: `${url}/chat`, secret },
      { name: 'pager', url: `${url}/pager`, severity: 'error', projects: ['prod'] },
      { name: 'down', url: `${url}/down` },
    ],
  });
});
beforeEach(() => void (messages = []));
afterAll(async () => {
  await server?.close();
  receiver.closeAllConnections();
  await new Promise((done) => receiver.close(done));
});

async function createRun(project = 'default'): Promise<string> {
  const body = { source, project, needs: { labels: ['nowhere'] } };
  return String(
    (await call(server?.url ?? '', server?.adminKey ?? '', 'POST', '/api/v1/runs', body)).body['id'],
  );
}

/** Stores an alert as the server does when a worker tells of a warning. */
async function raise(runId: string, message: string, given: object = {}): Promise<void> {
  const log = server?.app.get(RunLog) as RunLog;
  const alert = newAlert({
    runId,
    project: 'default',
    code: 'trainer.no_signal',
    message,
    time: 1000,
    ...given,
  });
  await log.write('alerts', (manager) => log.storeAlerts(manager, [alert]));
}

const messagesTo = (path: string): Message[] => messages.filter((message) => message.path === path);
const toldTo = (path: string): string[] => messagesTo(path).map(({ body }) => String(body.data['message']));

describe('webhooks', () => {
  it('are told of an alert with its run, and who told them', async () => {
    const runId = await createRun();
    await raise(runId, 'nothing to learn from', { step: 4 });
    await expect.poll(() => toldTo('/chat')).toEqual(['nothing to learn from']);
    const [{ headers, text, body }] = messagesTo('/chat') as [Message];
    expect(body).toMatchObject({
      type: 'alert.created',
      timestamp: '1970-01-01T00:00:01.000Z',
      data: {
        code: 'trainer.no_signal',
        severity: 'warning',
        step: 4,
        project: 'default',
        run: { id: runId },
      },
    });
    expect(body.text).toMatch(/ at step 4: warning trainer\.no_signal: nothing to learn from$/);
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
    const expected = createHmac('sha256', Buffer.alloc(32, 7)).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
  });

  it('are told of what one write raised in its order', async () => {
    const runId = await createRun();
    const log = server?.app.get(RunLog) as RunLog;
    const warnings = Array.from({ length: 20 }, (_, index) => `warning ${index}`);
    const alerts = warnings.map((message) =>
      newAlert({ runId, project: 'default', code: 'trainer.no_signal', message, time: 1000 }),
    );
    await log.write('alerts', (manager) => log.storeAlerts(manager, alerts));
    await expect.poll(() => toldTo('/chat')).toEqual(warnings);
  });

  it('are told nothing of the warnings of a run that is imported', async () => {
    const send = async (path: string, body: object) =>
      call(server?.url ?? '', server?.adminKey ?? '', 'POST', `/api/v1/runs/${path}`, body);
    const [environment, algorithm] = [{ use: 'bandit' }, { use: 'grpo' }];
    const { body } = await send('import', {
      spec: { name: 'old', steps: 3, environment, algorithm, model: {} },
    });
    const id = String(body['runId']);
    const event = { kind: 'warning', time: 1000, step: 0, code: 'trainer.no_signal', message: 'long ago' };
    expect(
      (await send(`${id}/import/events`, { attempt: 1, events: [{ sequence: 1, event }] })).body,
    ).toMatchObject({ acked: 1 });
    await raise(await createRun(), 'now');
    await expect.poll(() => toldTo('/chat')).toEqual(['now']);
    const list = await call(server?.url ?? '', server?.adminKey ?? '', 'GET', `/api/v1/alerts?runId=${id}`);
    expect(list.body).toMatchObject({ items: [{ message: 'long ago' }] });
  });

  it('are told of the severities and projects they ask for', async () => {
    const runId = await createRun();
    await raise(runId, 'a', { severity: 'warning', project: 'prod' });
    await raise(runId, 'b', { severity: 'error' });
    await raise(runId, 'c', { severity: 'error', project: 'prod' });
    await expect.poll(() => toldTo('/pager')).toEqual(['c']);
    await expect.poll(() => toldTo('/chat')).toEqual(['a', 'b', 'c']);
  });

  it('are told again, by the same id and in order, when they did not take it; also after a restart', async () => {
    statusOfDown = 503;
    const runId = await createRun();
    await raise(runId, 'first');
    await raise(runId, 'second');
    // one that does not answer holds up no other
    await expect.poll(() => toldTo('/chat')).toEqual(['first', 'second']);
    await expect.poll(() => toldTo('/down').length).toBeGreaterThanOrEqual(1);
    expect(new Set(toldTo('/down'))).toEqual(new Set(['first']));
    const authorization = `Bearer ${server?.adminKey}`;
    const metrics = await (await fetch(`${server?.url}/metrics`, { headers: { authorization } })).text();
    expect(metrics).toContain('espalier_webhook_waiting{webhook="down"} 2');
    expect(metrics).toContain('espalier_webhook_waiting{webhook="chat"} 0');
    server = await server?.restart();
    statusOfDown = 200;
    await expect.poll(() => toldTo('/down').slice(-2)).toEqual(['first', 'second']);
    const ids = messagesTo('/down')
      .filter(({ body }) => body.data['message'] === 'first')
      .map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    await raise(runId, 'third');
    await expect.poll(() => toldTo('/down').at(-1)).toBe('third');
    expect(toldTo('/chat')).toEqual(['first', 'second', 'third']);
  });

  it('show a line that fits into a chat; the data has the rest', async () => {
    const message = `crashed: ${'a'.repeat(3000)}\nexit code 1`;
    await raise(await createRun(), message);
    await expect.poll(() => toldTo('/chat')).toEqual([message]);
    const [{ body }] = messagesTo('/chat') as [Message];
    expect(body.text).toMatch(/^bandit-grpo: warning trainer\.no_signal: crashed: a+…$/);
    expect(body.text.length).toBeLessThanOrEqual(1000);
  });

  it('report what a receiver says when it takes nothing, without what a terminal could obey', async () => {
    statusOfDown = 404;
    const sent = postWebhook({ url: `${url}/down` }, 'delivery-x', {}, new AbortController().signal);
    await expect(sent).rejects.toThrow(/^it answered 404, "no_service\ufffd\[31m"$/);
    statusOfDown = 200;
  });

  it('wait for as long as a busy receiver asks', async () => {
    statusOfDown = 429;
    await raise(await createRun(), 'while busy');
    await expect.poll(() => toldTo('/down')).toHaveLength(1);
    const asked = Date.now();
    statusOfDown = 200;
    await expect.poll(() => toldTo('/down'), { timeout: 10_000 }).toHaveLength(2);
    expect(Date.now() - asked).toBeGreaterThan(1800);
  });

  it('do not learn of a run that was deleted, and do not wait for it', async () => {
    await raise('run-gone', 'of nobody');
    await raise(await createRun(), 'of a run');
    await expect.poll(() => toldTo('/chat')).toEqual(['of a run']);
  });

  it.each([
    [{ name: 'A b' }, 'webhooks'],
    [{ url: 'ftp://host' }, 'webhooks'],
    [{ secret: 'password' }, 'whsec_'],
  ])('are refused with settings such as %o', (wrong, part) => {
    const webhooks = [{ name: 'chat', url: 'http://host', ...wrong }];
    const { error } = serverOptions.safeParse({ data: '/tmp', webhooks });
    expect(JSON.stringify(error?.issues)).toContain(part);
  });

  it('have names of their own', () => {
    const one = { name: 'chat', url: 'http://host' };
    const { error } = serverOptions.safeParse({ data: '/tmp', webhooks: [one, one] });
    expect(error?.issues[0]?.message).toBe('two webhooks have the same name');
  });
});
