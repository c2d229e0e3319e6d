/**
 * @file The desk over streamable HTTP, for tests: `node http-server.mjs <port> [mode]`. It needs what the build made. It is no
 * module of the environment.
 */
import { createServer } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Desk } from '../../dist/desk/desk.js';

const [port = '0', mode = 'well'] = process.argv.slice(2);
const desk = new Desk();
const handler = createMcpHandler(() => desk.createServer());

const server = createServer(async (request, response) => {
  if (mode === 'oauth') {
    const challenge = 'Bearer resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource"';
    response.writeHead(401, { 'www-authenticate': challenge }).end('{"error":"invalid_token"}');
    return;
  }
  if (mode === 'token' && request.headers.authorization !== 'Bearer secret-of-mine') {
    response.writeHead(403).end(`no entry for ${request.headers.authorization}`);
    return;
  }
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  if (mode === 'huge' && body.includes('get_value')) {
    response.writeHead(200, { 'content-type': 'application/json' });
    for (let part = 0; part < 100 && !response.destroyed; part++) response.write(Buffer.alloc(2 ** 20, 120));
    response.end();
    return;
  }
  if (mode === 'garbage' && body.includes('get_value')) {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>');
    return;
  }
  if (mode === 'reset' && body.includes('get_value')) {
    request.socket.destroy();
    return;
  }
  const answer = await handler.fetch(
    new Request(`http://127.0.0.1:${port}${request.url}`, {
      method: request.method,
      headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ...(body.length > 0 && { body }),
    }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body !== null) for await (const part of answer.body) response.write(part);
  response.end();
});
server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
