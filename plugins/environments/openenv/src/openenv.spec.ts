/** @file Servers that do not keep to the protocol, are full, slow or gone: a real WebSocket server that is told what to answer. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EnvironmentInstance } from '@espalier/plugin-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import definition from './index.js';

type Message = { readonly type: string; readonly data?: Record<string, unknown> };

let http: Server;
let sockets: WebSocketServer;
let url = '';
let schema: object = {};
let received: Message[] = [];
let headers: (string | undefined)[] = [];
/** what the server says when somebody connects, and to each message */
let greet: (socket: WebSocket) => void;
let answer: (message: Message, socket: WebSocket) => unknown;
let instances: EnvironmentInstance[] = [];

const observation = (fields: object, reward: number | null = null, done = false): object => ({
  type: 'observation',
  data: { observation: fields, reward, done },
});
const error = (code: string, message: string): object => ({ type: 'error', data: { code, message } });

beforeEach(async () => {
  schema = {
    properties: { message: { type: 'string' }, metadata: { type: 'object' } },
    required: ['message'],
  };
  [received, headers, instances] = [[], [], []];
  greet = () => undefined;
  answer = ({ type }) => observation({ text: type === 'reset' ? 'begin' : 'next' });
  http = createServer((request, response) => {
    headers.push(request.headers.authorization);
    response.end(JSON.stringify({ action: schema, observation: {}, state: {} }));
  });
  sockets = new WebSocketServer({ server: http, path: '/ws' }).on('connection', (socket, request) => {
    headers.push(request.headers.authorization);
    greet(socket);
    socket.on('message', (bytes: Buffer) => {
      const message = JSON.parse(bytes.toString()) as Message;
      received.push(message);
      const reply = answer(message, socket);
      if (reply !== undefined) socket.send(typeof reply === 'string' ? reply : JSON.stringify(reply));
    });
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const instance of instances) await instance.close?.();
  http.closeAllConnections();
  await new Promise((done) => http.close(done));
});

function create(params: object = {}): EnvironmentInstance {
  const instance = definition.create(
    definition.params.parse({ url, connectTimeoutMs: 1000, answerTimeoutMs: 500, ...params }),
  );
  instances.push(instance);
  return instance;
}
const seeds = { state: 7, noise: 9 };

describe('an episode of OpenEnv', () => {
  it('sends the seeds, and the text of an action in the field that the schema asks for', async () => {
    const instance = create({ reset: { task: 'maze' } });
    expect(await instance.reset(seeds)).toMatchObject({ text: 'begin' });
    await instance.step('go on');
    expect(received).toEqual([
      { type: 'reset', data: { task: 'maze', seed: 7, noise_seed: 9 } },
      { type: 'step', data: { message: 'go on' } },
    ]);
  });

  it('takes an action of several fields as JSON, and asks for it where it is none', async () => {
    schema = { properties: { x: { type: 'integer' }, y: { type: 'integer' } }, required: ['x', 'y'] };
    const instance = create();
    await instance.reset(seeds);
    const refused = await instance.step('up');
    expect(refused).toMatchObject({ valid: false, done: false, reward: 0, metrics: { refused: 1 } });
    expect(refused.observation.text).toContain('an action is a JSON object: {"properties":{"x"');
    await instance.step('{"x": 1, "y": 2}');
    expect(received.at(-1)).toEqual({ type: 'step', data: { x: 1, y: 2 } });
    expect(received).toHaveLength(2);
  });

  it('is solved by the sum of its rewards, or as the observation says', async () => {
    const replies = [observation({ a: 1 }), observation({ a: 2 }, 0.4), observation({ a: 3 }, 0.7, true)];
    answer = () => replies.shift();
    const instance = create();
    await instance.reset(seeds);
    expect(await instance.step('a')).toMatchObject({
      reward: 0.4,
      done: false,
      success: false,
      effective: true,
    });
    expect(await instance.step('b')).toMatchObject({ reward: 0.7, done: true, success: true });
    replies.push(observation({ a: 1 }), observation({ success: false }, 5, true));
    await instance.reset(seeds);
    expect(await instance.step('a')).toMatchObject({ reward: 5, done: true, success: false });
  });

  it('shows all fields with their names, or those that are chosen', async () => {
    answer = () => observation({ board: 'x.', score: 3, hint: null });
    expect((await create().reset(seeds)).text).toBe('board: x.\nscore: 3');
    expect((await create({ show: ['board'] }).reset(seeds)).text).toBe('x.');
  });

  it('offers the actions of the observation, else those of the schema', async () => {
    schema = { properties: { move: { type: 'string', enum: ['L', 'R'] } }, required: ['move'] };
    const instance = create();
    expect((await instance.reset(seeds)).actions).toEqual(['L', 'R']);
    answer = () => observation({ text: 'x', actions: ['R'] });
    expect((await instance.step('L')).observation.actions).toEqual(['R']);
  });

  it('goes on after an action that the server does not take', async () => {
    const instance = create();
    await instance.reset(seeds);
    answer = () => error('VALIDATION_ERROR', 'no such move');
    const { observation: seen, valid, done } = await instance.step('jump');
    expect([seen.text, valid, done]).toEqual(['Not done: no such move\nbegin', false, false]);
  });

  it('sends a key that an environment variable has', async () => {
    process.env['OPENENV_TEST_KEY'] = 'k';
    await create({ keyVariable: 'OPENENV_TEST_KEY' }).reset(seeds);
    delete process.env['OPENENV_TEST_KEY'];
    expect(headers).toEqual(['Bearer k', 'Bearer k']);
    expect(() => create({ keyVariable: 'OPENENV_TEST_KEY' })).toThrow(
      'the variable OPENENV_TEST_KEY is not set; set it to the key of the server',
    );
  });

  it('waits for a free session', async () => {
    let refusals = 2;
    greet = (socket) => {
      if (refusals-- <= 0) return;
      socket.send(JSON.stringify(error('CAPACITY_REACHED', 'full')));
      socket.close(1013);
    };
    expect((await create().reset(seeds)).text).toBe('begin');
  });

  it('that is closed while it begins leaves no session at the server', async () => {
    let begin = (): void => undefined;
    answer = ({ type }, socket) => {
      if (type === 'reset') begin = () => socket.send(JSON.stringify(observation({ text: 'begin' })));
    };
    const instance = create({ answerTimeoutMs: 5000 });
    const late = expect(instance.reset(seeds)).rejects.toThrow('closed before the episode began');
    await expect.poll(() => received.length).toBe(1);
    await instance.close?.();
    begin();
    await late;
    await expect.poll(() => sockets.clients.size).toBe(0);
    expect(received.at(-1)).toEqual({ type: 'close' });
    answer = () => observation({ text: 'again' });
    expect((await instance.reset(seeds)).text).toBe('again');
  });
});

describe('a server of OpenEnv that', () => {
  const failing = async (params: object = {}): Promise<unknown> => {
    const instance = create(params);
    await instance.reset(seeds);
    return instance.step('a');
  };

  it('stays full is an error that says so', async () => {
    greet = (socket) => {
      socket.send(JSON.stringify(error('CAPACITY_REACHED', 'full')));
      socket.close(1013);
    };
    await expect(create({ connectTimeoutMs: 400 }).reset(seeds)).rejects.toThrow(
      'all sessions of the server are in use',
    );
  });

  it.each([
    ['is not there', { url: 'http://127.0.0.1:9' }, 'check that a server of OpenEnv runs there'],
    [
      'lacks the chosen field',
      { actionField: 'move' },
      'it has no field "move" (option actionField); it has message',
    ],
  ])('%s is an error with the remedy', async (_what, params, text) => {
    await expect(create(params).reset(seeds)).rejects.toThrow(text);
  });

  it.each([
    ['answers no JSON', () => 'hello', 'the answer is none of OpenEnv: hello'],
    ['sends a reward that is no number', () => observation({ text: 'x' }, '1' as never), 'none of OpenEnv'],
    [
      'sends no observation',
      () => ({ type: 'observation', data: { reward: 1, done: true } }),
      'none of OpenEnv',
    ],
    ['fails', () => error('EXECUTION_ERROR', 'it broke'), 'the server answers EXECUTION_ERROR: it broke'],
    ['does not answer', () => undefined, 'no answer to step in 500 ms'],
    [
      'goes away',
      (_message: Message, socket: WebSocket) => void socket.terminate(),
      'the server closed the connection (code 1006)',
    ],
  ])('%s ends the episode with an error, and the next one begins anew', async (_what, reply, text) => {
    const usual = answer;
    answer = (message, socket) => (message.type === 'step' ? reply(message, socket) : usual(message, socket));
    await expect(failing()).rejects.toThrow(text);
    answer = usual;
    expect(await failing()).toMatchObject({ valid: true });
  });

  it('sends what nobody asked for ends the episode, and the next one begins anew', async () => {
    answer = ({ type }, socket) => {
      if (type === 'step') socket.send(JSON.stringify(observation({ text: 'first' })));
      return observation({ text: type === 'reset' ? 'begin' : 'second' }, 1);
    };
    const instance = create();
    await instance.reset(seeds);
    expect(await instance.step('a')).toMatchObject({ observation: { text: 'first' }, reward: 0 });
    await expect.poll(() => sockets.clients.size).toBe(0);
    await expect(instance.step('b')).rejects.toThrow(
      'the server sent what nobody asked for: {"type":"observation","data":{"observation":{"text":"second"}',
    );
    expect((await instance.reset(seeds)).text).toBe('begin');
  });

  it('tells of an error unasked fails the next action, and takes those after it', async () => {
    let session: WebSocket | undefined;
    greet = (socket) => (session = socket);
    const instance = create();
    await instance.reset(seeds);
    session!.send(JSON.stringify(error('EXECUTION_ERROR', 'it broke')));
    session!.ping();
    // the answer to a ping says that all before it has arrived
    await new Promise((arrived) => session!.once('pong', arrived));
    await expect(instance.step('a')).rejects.toThrow('the server answers EXECUTION_ERROR: it broke');
    expect(await instance.step('b')).toMatchObject({ valid: true, observation: { text: 'next' } });
    expect(received.slice(1)).toEqual([{ type: 'step', data: { message: 'b' } }]);
  });

  it('ends an episode before it begins is an error', async () => {
    answer = () => observation({ text: 'x' }, 1, true);
    await expect(create().reset(seeds)).rejects.toThrow('the episode is over before the first action');
  });
});
