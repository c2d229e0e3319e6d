/** @file `espalier webhook test` against real receivers: one that takes messages, and one that says why it does not. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';

let receiver: Server;
let cwd = '';
const received: { path: string; text: string; signed: boolean }[] = [];

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'espalier-webhook-test-'));
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { type, text } = JSON.parse(Buffer.concat(chunks).toString()) as { type: string; text: string };
      const { url: path = '', headers } = request;
      received.push({ path, text: `${type}: ${text}`, signed: 'webhook-signature' in headers });
      response.writeHead(path === '/gone' ? 404 : 200).end(path === '/gone' ? 'no_service' : '');
    });
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const webhooks = [
    { name: 'chat', url: `${url}/chat`, secret },
    { name: 'gone', url: `${url}/gone` },
  ];
  writeFileSync(join(cwd, 'server.yaml'), JSON.stringify({ webhooks }));
  writeFileSync(join(cwd, 'none.yaml'), '');
});
afterAll(async () => {
  receiver.closeAllConnections();
  await new Promise((done) => receiver.close(done));
  removeFolder(cwd);
});

const test = (...words: string[]) => callCli(['webhook', 'test', ...words], { cwd });

describe('espalier webhook test', () => {
  it('says which webhook took a message, and why another did not', async () => {
    const { code, stdout } = await test('--config', 'server.yaml');
    expect([code, stdout]).toEqual([
      5,
      'chat took it\ngone did not take it: it answered 404, "no_service"\n',
    ]);
    expect(received.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
      {
        path: '/chat',
        text: 'webhook.test: This is a test of the webhook "chat" of Espalier.',
        signed: true,
      },
      {
        path: '/gone',
        text: 'webhook.test: This is a test of the webhook "gone" of Espalier.',
        signed: false,
      },
    ]);
  });

  it('tests those that are named', async () => {
    const { code, stdout } = await test('chat', '--config', 'server.yaml', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, { webhook: 'chat', ok: true }]);
  });

  it('refuses names and settings without a webhook', async () => {
    const wrong = await test('chatt', '--config', 'server.yaml');
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('"chatt": the settings have chat, gone'),
    ]);
    const none = await test('--config', 'none.yaml');
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining('the settings have no webhooks; add one'),
    ]);
  });
});
