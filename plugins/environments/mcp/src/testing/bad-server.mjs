/**
 * @file A server for tests, written by hand: it speaks the protocol of 2025-11-25 and does what its first word says, at the
 * call of the tool `work`. It is no module of the environment.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode = 'well', log = ''] = process.argv.slice(2);
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const note = (line) => log !== '' && appendFileSync(log, `${line}\n`);

const tool = (name, properties, required) => ({
  name,
  description: `Tool ${name}. More about it.`,
  inputSchema: { type: 'object', properties, required },
});
let tools = [tool('work', { text: { type: 'string' } }, ['text']), tool('show', {}, [])];
let state = 'fresh';

note(`start ${process.pid}`);
if (mode === 'banner') process.stdout.write('welcome to my server\n');
if (mode === 'mute') setInterval(() => undefined, 1000);
if (mode === 'stays' || mode === 'child') {
  // it ignores the end of its input, and all signals that can be ignored
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
  setInterval(() => undefined, 1000);
}
if (mode === 'child') {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  note(`child ${child.pid}`);
}
if (mode === 'early') {
  process.stderr.write('no configuration found\n');
  process.exit(3);
}

const misdeeds = {
  dies: () => {
    process.stderr.write('out of paper\n');
    process.exit(7);
  },
  garbage: () => process.stdout.write('<html>not found</html>\n'),
  half: () => process.stdout.write('{"jsonrpc": "2.0", "id": \n'),
  wrong: (id) => write({ id, result: { content: 'no list' } }),
  hangs: () => undefined,
  busy: () => {
    for (;;);
  },
  huge: (id) => {
    const text = 'x'.repeat(100 * 2 ** 20);
    write({ id, result: { content: [{ type: 'text', text }] } });
  },
  changes: (id) => {
    tools = [tool('other', {}, [])];
    write({ method: 'notifications/tools/list_changed' });
    write({ id, result: { content: [{ type: 'text', text: 'done' }] } });
  },
};

const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'bad', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: given }) => {
    if (name === 'show') {
      const isError = mode === 'error' && state === 'fresh';
      return { content: [{ type: 'text', text: isError ? 'not found: worked' : state }], isError };
    }
    state = given.text;
    return { content: [{ type: 'text', text: 'done' }] };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  if (mode === 'mute') return;
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (mode === 'strict' && method === 'server/discover') process.exit(1);
  const isWork = method === 'tools/call' && params.name === 'work';
  if (isWork && misdeeds[mode] !== undefined) return misdeeds[mode](id);
  if (answers[method] === undefined)
    return write({ id, error: { code: -32601, message: 'Method not found' } });
  write({ id, result: answers[method](params) });
});
