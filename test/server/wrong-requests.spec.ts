import { setTimeout } from 'node:timers/promises';
import { io } from 'socket.io-client';
import { DataSource } from 'typeorm';
import { beforeAll, expect, it } from 'vitest';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { ErrorReport } from '../../apps/server/src/api/errors/error-report.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { call } from '../support/ask.js';
import { createJob } from '../support/create-job.js';
import { describeOnSqlite } from '../support/each-database.js';
import type { TestServer } from '../support/start-server.js';

describeOnSqlite(
  'a request with a mistake',
  (current) => {
    let server: TestServer;
    beforeAll(() => {
      server = current();
    });

    const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      call(server.url, server.adminKey, method, `/api/v1${path}`, body, headers);
    const refusal = async (method: string, path: string, body?: unknown): Promise<string> => {
      const { status, body: said } = await ask(method, path, body);
      return `${status} ${String(said.code)} ${String(said.message)}`;
    };

    it.each([
      ['/runs?states=failed', 'unknown parameter "states"; did you mean state?'],
      ['/runs?search=one', 'unknown parameter "search"; it takes after, before, createdBefore'],
      ['/runs/compare?runIds=x', 'unknown parameter "runIds"; it takes axis, by, fromStep, id, last, ledger'],
      ['/jobs?stat=failed', 'did you mean state?'],
      ['/alerts?projekt=a', 'did you mean project?'],
      ['/workers?frist=3', 'did you mean first?'],
      ['/keys?a=1', 'unknown parameter "a"; it takes after, before, direction, first, last, orderBy'],
      ['/audit?limit=1', 'unknown parameter "limit"; it takes action, after, before, direction'],
      ['/audit/check?first=1', 'it takes none'],
      ['/runs/x?a=1', 'it takes none'],
      ['/runs/x/artifacts?prefix=a', 'it takes after, before, first, last, path'],
      ['/runs/x/export/manifest?formt=csv', 'did you mean format?'],
      ['/runs/x/metrics?names=a', 'did you mean name?'],
      ['/runs/x/trajectories?sucess=true', 'did you mean success?'],
      ['/plugins?kind=environment', 'unknown parameter "kind"'],
    ])('of GET %s is told the parameters that there are', async (path, finding) => {
      const said = await refusal('GET', path);
      expect(said).toContain('400 server.invalid_input GET /api/v1/');
      expect(said).toContain(finding);
    });

    it('hears nothing of parameters without a key', async () => {
      expect((await call(server.url, undefined, 'GET', '/api/v1/runs?search=one')).status).toBe(401);
      expect((await ask('GET', '/runs?text=one&first=3')).status).toBe(200);
    });

    it.each([
      ['GET', '/runs?first=x', undefined, 'first is "x"; expected a whole number from 1 to 500'],
      ['GET', '/jobs?first=x', undefined, 'first is "x"; expected a whole number'],
      ['GET', '/workers?first=x', undefined, 'first is "x"; expected a whole number from 1 to 500'],
      ['GET', '/alerts?open=maybe', undefined, 'open is "maybe"; expected true or false'],
      ['POST', '/runs', { name: '' }, 'name is ""; expected 1 to 200 characters'],
      [
        'POST',
        '/runs',
        { project: 'My Project' },
        'project is "My Project"; expected 1 to 63 lower-case letters',
      ],
      ['POST', '/runs', { tags: [''] }, 'tags.0 is ""; expected a tag of 1 to 64 characters'],
      ['POST', '/runs', { priority: 1000 }, 'priority is 1000; expected a whole number from -100 to 100'],
      ['POST', '/runs', { priority: 'high' }, 'priority is "high"; expected a whole number from -100 to 100'],
      ['POST', '/runs', { nmae: 'x' }, 'the request has the unknown key "nmae" (did you mean name?)'],
      ['POST', '/runs', { needs: { count: 'two' } }, 'needs.count is "two"; expected a whole number'],
      [
        'POST',
        '/runs',
        { needs: { gpus: 2 } },
        'needs has the unknown key "gpus" (it takes count, kind, labels',
      ],
      ['POST', '/runs/plan', { estimate: 'yes' }, 'estimate is "yes"; expected true or false'],
    ])('%s %s %j says what was given and what is allowed', async (method, path, body, finding) => {
      const said = await refusal(method, path, body);
      expect(said).toContain('400 ');
      expect(said).toContain(finding);
    });

    it('may name JSON and send no body: it has none', async () => {
      const { runId } = await createJob(server, { needs: { labels: ['nobody'] } });
      const json = { 'content-type': 'application/json' };
      const send = async (method: string, path: string) =>
        fetch(`${server.url}/api/v1/runs/${runId}${path}`, {
          method,
          body: '',
          headers: { ...json, authorization: `Bearer ${server.adminKey}` },
        });
      expect(await (await send('POST', '/pause')).json()).toMatchObject({ state: 'paused' });
      expect(await (await send('POST', '/cancel')).json()).toMatchObject({ state: 'cancelled' });
      expect(await (await send('DELETE', '')).json()).toMatchObject({ id: runId });
    });

    it('is told the limit of bodies and its setting', async () => {
      const said = await refusal('POST', '/runs', { source: 'x'.repeat(70_000) });
      expect(said).toContain('413 server.too_large');
      expect(said).toContain('larger than 64 KiB; send less, or raise the setting http.bodyKb');
    });

    it('does not start again what has finished', async () => {
      const { id, runId } = await createJob(server, { needs: { labels: ['nobody'] } });
      const end = { state: 'finished' as const, endedAt: Date.now() };
      await server.app.get(DataSource).getRepository(Job).update({ id }, end);
      await server.app.get(DataSource).getRepository(Run).update({ id: runId }, end);
      expect(await refusal('POST', `/runs/${runId}/resume`)).toBe(
        `409 run.wrong_state resume run ${runId}: it has finished; fork it to continue`,
      );
      expect((await ask('GET', `/runs/${runId}`)).body).toMatchObject({ state: 'finished' });
    });

    it.each([
      ['/stream', 'server.invalid_input', 'it takes follow, unfollow'],
      ['/workers', 'worker.malformed_message', 'it takes hello, heartbeat, events'],
    ])('is an event that %s does not know: answered, and counted', async (space, code, finding) => {
      const told: string[] = [];
      server.app.get(ErrorReport).onError((error) => told.push(error.code));
      const key = space === '/stream' ? server.adminKey : server.workerKey;
      const socket = io(server.url + space, {
        auth: { key },
        transports: ['websocket'],
        forceNew: true,
        reconnection: false,
      });
      const answer = (await socket.timeout(2000).emitWithAck('folow', {})) as {
        code: string;
        message: string;
      };
      expect(answer).toMatchObject({ ok: false, code });
      expect(answer.message).toContain(`read the event "folow"`);
      expect(answer.message).toContain(finding);
      const refused = new Promise<unknown>((resolve) => socket.once('refused', resolve));
      socket.emit('folow');
      expect(await Promise.race([refused, setTimeout(2000)])).toMatchObject({ ok: false, code });
      expect(told.filter((one) => one === code)).toHaveLength(2);
      socket.disconnect();
    });
  },
  { http: { bodyKb: 64 } },
);
