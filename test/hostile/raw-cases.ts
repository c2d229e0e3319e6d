/** @file Bytes that are hardly HTTP, and requests that never end. */
import { gzipSync } from 'node:zlib';
import { adminKey } from './server-process.js';
import type { RawCase } from './send.js';

const host = 'host: 127.0.0.1\r\n';
const auth = `authorization: Bearer ${adminKey}\r\n`;
const get = `GET /health/live HTTP/1.1\r\n${host}`;
const post = `POST /api/v1/runs HTTP/1.1\r\n${host}${auth}content-type: application/json\r\n`;
const json = (length: number): string => `${post}content-length: ${length}\r\n\r\n`;
const upgrade = (path: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\n${host}connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more}\r\n`;

/** A head of a frame of a websocket, masked with zeros. @param code text 1, binary 2, close 8, ping 9 */
const frame = (code: number, length: number): Buffer => {
  const bytes = Buffer.alloc(14);
  bytes[0] = 0x80 | code;
  bytes[1] = 0xff;
  bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes;
};

const one = (name: string, ...pieces: (string | Buffer)[]): RawCase => ({ name, pieces });
const slowly = (name: string, pieces: (string | Buffer)[], pauseMs: number): RawCase => ({
  name,
  pieces,
  pauseMs,
});

export const rawCases: readonly RawCase[] = [
  one('nothing', ''),
  one('zeros', Buffer.alloc(10_000)),
  one('noise', Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * 197) % 256))),
  one('newlines', '\r\n'.repeat(50_000)),
  one('letters without a space', 'A'.repeat(100_000)),
  one('a greeting of TLS', Buffer.from('16030100a5010000a10303', 'hex'), Buffer.alloc(200, 1)),
  one('a greeting of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', Buffer.from('000000040000000000', 'hex')),
  one('HTTP/0.9', 'GET /\r\n'),
  one('HTTP/9.9', `GET / HTTP/9.9\r\n${host}\r\n`),
  one('no host', 'GET /health/live HTTP/1.1\r\n\r\n'),
  one('two hosts', `${get}host: evil.example\r\n\r\n`),
  one('an empty host', 'GET /health/live HTTP/1.1\r\nhost:\r\n\r\n'),
  one('a header without a colon', `${get}broken\r\n\r\n`),
  one('a header with a NUL', `${get}x: a\u0000b\r\n\r\n`),
  one('a header with a bare newline', `${get}x: a\nb: c\r\n\r\n`),
  one('a folded header', `${get}x: a\r\n b\r\n\r\n`),
  one('a space before the colon', `${get}x : a\r\n\r\n`),
  one('a name of a header that is none', `${get}(x)[y]: a\r\n\r\n`),
  one('a header of 100 kB', `${get}x: ${'a'.repeat(100_000)}\r\n\r\n`),
  one('10,000 headers', `${get}${'x: a\r\n'.repeat(10_000)}\r\n`),
  one('an address of 100 kB', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n${host}\r\n`),
  one('an address with a NUL', `GET /\u0000 HTTP/1.1\r\n${host}\r\n`),
  one('an address with bytes above 127', Buffer.from(`GET /\xff\xfe HTTP/1.1\r\n${host}\r\n`, 'latin1')),
  one('an address of stars', `OPTIONS * HTTP/1.1\r\n${host}\r\n`),
  one('a tunnel', `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`),
  one('an address of another server', `GET http://169.254.169.254/latest HTTP/1.1\r\n${host}\r\n`),
  one('a method of 10 kB', `${'A'.repeat(10_000)} / HTTP/1.1\r\n${host}\r\n`),
  one('a method in lower case', `get / HTTP/1.1\r\n${host}\r\n`),
  one('two lengths', `${post}content-length: 2\r\ncontent-length: 3\r\n\r\n{} `),
  one(
    'a length and chunks',
    `${post}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ),
  one('a negative length', `${post}content-length: -1\r\n\r\n`),
  one('a length beyond numbers', `${post}content-length: 99999999999999999999\r\n\r\n`),
  one('a length of letters', `${post}content-length: 0x10\r\n\r\n`),
  one('a length beyond the bound', `${post}content-length: 2000000\r\n\r\n`, 'x'.repeat(2_000_000)),
  one('chunks in chunks', `${post}transfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n`),
  one('an unknown coding', `${post}transfer-encoding: magic\r\n\r\nx`),
  one('a coding with a trick', `${post}transfer-encoding: xchunked\r\ncontent-length: 2\r\n\r\n{}`),
  one('a chunk of no length', `${post}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`),
  one('a chunk of endless length', `${post}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n{}`),
  one('a negative chunk', `${post}transfer-encoding: chunked\r\n\r\n-1\r\n{}\r\n`),
  one(
    'extensions of chunks',
    `${post}transfer-encoding: chunked\r\n\r\n${'1;a=b\r\n{\r\n'.repeat(5000)}0\r\n\r\n`,
  ),
  one('trailers without end', `${post}transfer-encoding: chunked\r\n\r\n0\r\n${'x: y\r\n'.repeat(5000)}\r\n`),
  one(
    '100,000 chunks of a byte',
    `${post}transfer-encoding: chunked\r\n\r\n`,
    '1\r\n \r\n'.repeat(100_000),
    '0\r\n\r\n',
  ),
  one('a request smuggled in a body', `${json(60)}{}\r\n\r\nGET /api/v1/keys HTTP/1.1\r\n${host}\r\n`),
  one('50 requests at once, 15 kB each', `GET /${'a'.repeat(15_000)} HTTP/1.1\r\n${host}\r\n`.repeat(50)),
  one('500 requests at once', `${get}\r\n`.repeat(500)),
  one('a body that is cut off', `${json(100)}{"source":`),
  one('a body that is longer than said', `${json(2)}{}{}{}{}`),
  one(
    'a body in gzip that is cut off',
    `${post}content-encoding: gzip\r\ncontent-length: 20\r\n\r\n`,
    gzipSync('x'.repeat(1000)).subarray(0, 10),
  ),
  one(
    'a body before its head has been judged',
    `POST /api/v1/runs HTTP/1.1\r\n${host}content-length: 900000\r\n\r\n`,
    'x'.repeat(900_000),
  ),
  one('an expectation that is not waited for', `${post}expect: 100-continue\r\ncontent-length: 2\r\n\r\n{}`),
  one(
    'an upload that is cut off',
    `PUT /api/v1/runs/{heldRun}/artifacts/x HTTP/1.1\r\n${host}${auth}content-type: application/octet-stream\r\ncontent-length: 1000000\r\n\r\n`,
    'x'.repeat(1000),
  ),
  one(
    'a form that is cut off',
    `PUT /api/v1/runs/{heldRun}/artifacts/x HTTP/1.1\r\n${host}${auth}content-type: multipart/form-data; boundary=b\r\ncontent-length: 1000\r\n\r\n--b\r\ncontent-disposition: form-data; name="`,
  ),
  one(
    'an upgrade to nothing',
    `${get}connection: upgrade\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n\r\n`,
  ),
  one('an upgrade at another address', upgrade('/api/v1/runs')),
  one('an upgrade of another origin', upgrade('/graphql', 'origin: https://evil.example\r\n')),
  one('an upgrade of another host', upgrade('/graphql').replace(host, 'host: evil.example\r\n')),
  one('an upgrade of an unknown version', upgrade('/graphql').replace('version: 13', 'version: 99')),
  one('an upgrade without a key', upgrade('/graphql').replace(/sec-websocket-key: \S+\r\n/, '')),
  one(
    'an upgrade with extensions without end',
    upgrade('/graphql', `sec-websocket-extensions: ${'a; b=c, '.repeat(1500)}d\r\n`),
  ),
  one(
    'an upgrade with protocols without end',
    upgrade(
      '/graphql',
      `sec-websocket-protocol: ${Array.from({ length: 1500 }, (_, i) => `p${i}`).join(', ')}\r\n`,
    ),
  ),
  one('an upgrade with a body', upgrade('/graphql', 'content-length: 5\r\n'), 'hello'),
  one(
    'a frame of 2^62 bytes',
    upgrade('/graphql', 'sec-websocket-protocol: graphql-transport-ws\r\n'),
    frame(1, 2 ** 62),
  ),
  one(
    'a frame of 100 MB',
    upgrade('/socket.io/?EIO=4&transport=websocket'),
    frame(2, 100_000_000),
    Buffer.alloc(100_000),
  ),
  one(
    'a frame without a mask',
    upgrade('/socket.io/?EIO=4&transport=websocket'),
    Buffer.from([0x81, 0x02, 0x34, 0x30]),
  ),
  one(
    'a frame of a reserved kind',
    upgrade('/socket.io/?EIO=4&transport=websocket'),
    Buffer.from([0x8f, 0x80, 0, 0, 0, 0]),
  ),
  one(
    'a piece of nothing',
    upgrade('/socket.io/?EIO=4&transport=websocket'),
    Buffer.from([0x80, 0x80, 0, 0, 0, 0]),
  ),
  one(
    'a ping that is too long',
    upgrade('/socket.io/?EIO=4&transport=websocket'),
    frame(9, 1000),
    Buffer.alloc(1000),
  ),
  one('a close with a code that is none', upgrade('/graphql'), Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0, 1])),
  one(
    'text that is no UTF-8',
    upgrade('/socket.io/?EIO=4&transport=websocket'),
    Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]),
  ),
  one(
    '20,000 pings',
    upgrade('/socket.io/?EIO=4&transport=websocket'),
    Buffer.concat(Array.from({ length: 20_000 }, () => Buffer.from([0x89, 0x80, 0, 0, 0, 0]))),
  ),
  one(
    '20,000 pieces of a byte',
    upgrade('/socket.io/?EIO=4&transport=websocket'),
    Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0x34]),
    Buffer.concat(Array.from({ length: 20_000 }, () => Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x30]))),
  ),
  slowly('a head that comes byte by byte', [...`${get}x: y`].slice(0, 30), 60),
  slowly('a body that comes byte by byte', [json(100), ...'{"source":'.repeat(3).slice(0, 25)], 60),
  slowly(
    'an upload that stands still',
    [
      `PUT /api/v1/runs/{heldRun}/artifacts/x HTTP/1.1\r\n${host}${auth}content-type: application/octet-stream\r\ncontent-length: 1000\r\n\r\n`,
      'x',
    ],
    200,
  ),
];
