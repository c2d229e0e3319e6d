/** @file Requests over REST that are wrong as requests: body, address, range, host, origin, key, headers. */
import { gzipSync } from 'node:zlib';
import type { HttpCase } from './send.js';
import { shapes } from './values.js';

function build(): HttpCase[] {
  const post = (name: string, more: Partial<HttpCase>): HttpCase => ({
    name,
    method: 'POST',
    path: '/api/v1/runs',
    as: 'operator',
    ...more,
  });
  const get = (name: string, more: Partial<HttpCase>): HttpCase => ({
    name,
    method: 'GET',
    path: '/api/v1/runs',
    as: 'viewer',
    ...more,
  });
  const list = (name: string, count: number, value: string) => `${name}=${value}&`.repeat(count);
  return [
    ...[
      'text/plain',
      'application/xml',
      'multipart/form-data',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'application/json;'.repeat(200),
      'APPLICATION/JSON',
      'a/b/c',
      ';',
      'application/x-ndjson',
      'application/grpc',
    ].map((type) =>
      post(`a body of type ${type.slice(0, 40)}`, { body: '{"a":1}', headers: { 'content-type': type } }),
    ),
    ...['gzip', 'br', 'deflate', 'identity, gzip'].map((coding) =>
      post(`a body in ${coding}`, {
        body: gzipSync(Buffer.alloc(5_000_000, ' ')),
        headers: { 'content-encoding': coding },
      }),
    ),
    ...[
      '{',
      '{"a":',
      '[1,',
      '"',
      'nul',
      '{"a":1}}',
      '\u0000',
      '\ufeff{}',
      "{'a':1}",
      '{"a":01}',
      'Infinity',
      '//x',
      ' '.repeat(500_000),
    ].map((body) => post(`a body ${JSON.stringify(body.slice(0, 12))}`, { body })),
    post('a body that is no UTF-8', { body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) }),
    post('a body beyond the bound', { body: `{"source":"${'x'.repeat(1_100_000)}"}` }),
    post('a body of exactly the bound', { body: `{"source":"${'x'.repeat(1024 * 1024 - 13)}"}` }),
    post('a body without a key', { as: 'none', body: shapes['an object nested deep'] ?? '' }),
    post('a body with a wrong key', { as: 'wrong', body: shapes['an object nested deep'] ?? '' }),
    ...['TRACE', 'OPTIONS', 'PROPFIND', 'PURGE', 'HEAD', 'PATCH', 'SEARCH', 'LOCK'].map((method) =>
      get(`${method} of the runs`, { method }),
    ),
    get('30,000 letters as address, 20 at once', { as: 'none', path: `/${'a'.repeat(15_000)}`, count: 20 }),
    get('slashes as address', { as: 'none', path: '/'.repeat(15_000) }),
    get('dots as address', { as: 'none', path: `${'/..'.repeat(4000)}/etc/passwd` }),
    get('percent signs as address', { as: 'none', path: '/%'.repeat(4000) }),
    get('a broken escape', { path: '/api/v1/runs/%zz' }),
    get('an escape that is no UTF-8', { path: '/api/v1/runs/%ff%fe' }),
    get('an overlong escape', { path: '/docs/%c0%ae%c0%ae/%c0%ae%c0%ae/etc/passwd' }),
    get('an address with a host', { path: 'http://example.com/api/v1/runs' }),
    get('a fragment', { path: '/api/v1/runs#x' }),
    get('3,000 states', { path: `/api/v1/runs?${list('state', 1200, 'queued')}` }),
    get('2,000 parameters', {
      path: `/api/v1/runs?${Array.from({ length: 1200 }, (_, i) => `a${i}=1`).join('&')}`,
    }),
    get('one parameter many times', { path: `/api/v1/runs?${list('first', 1500, '3')}` }),
    get('brackets in parameters', {
      path: `/api/v1/runs?first[a][b]=1&__proto__[x]=1&state[]=queued${'[a]'.repeat(1000)}=1`,
    }),
    get('moments out of range', {
      path: '/api/v1/runs?createdFrom=%2B275760-09-14T00:00:00Z&createdBefore=-271822-01-01T00:00:00Z',
    }),
    get('moments the wrong way round', {
      path: '/api/v1/runs?createdFrom=2030-01-01T00:00:00Z&createdBefore=2020-01-01T00:00:00Z',
    }),
    get('steps the wrong way round', {
      path: '/api/v1/runs/{scratch}/metrics?name=policy/loss&fromStep=50&toStep=-50&points=2',
    }),
    get('300 names of metrics', {
      path: `/api/v1/runs/{scratch}/metrics?${list('name', 300, 'policy/loss')}`,
    }),
    get('200 runs side by side', {
      path: `/api/v1/runs/compare?${list('id', 200, '{scratch}').replaceAll('{', '{')}`,
    }),
    get('runs side by side, 8 at once', {
      path: '/api/v1/runs/compare?id={scratch}&id={scratch}&last=1e9',
      count: 8,
    }),
    get('an export of a metric with every name', { path: '/api/v1/runs/{scratch}/export/metrics.csv' }),
    get('an export of another file', { path: '/api/v1/runs/{scratch}/export/..%2f..%2fdatabase.sqlite' }),
    ...[
      'bytes=0-',
      'bytes=-1',
      'bytes=5-1',
      'bytes=0-0,1-1',
      `bytes=${'0-1,'.repeat(2000)}`,
      'bytes=1e9-',
      'x',
    ].map((range) =>
      get(`a range ${range.slice(0, 20)}`, {
        path: '/api/v1/runs/{scratch}/artifacts/x',
        headers: { range },
      }),
    ),
    ...[
      'evil.example',
      '127.0.0.1:99999',
      'localhost@evil.example',
      '[::1',
      'a'.repeat(8000),
      '127.0.0.1, evil.example',
      '.',
      '::ffff:127.0.0.1',
    ].map((host) => get(`host ${host.slice(0, 30)}`, { headers: { host } })),
    ...[
      'https://evil.example',
      'null',
      'file://',
      'http://127.0.0.1.evil.example',
      `http://${'a.'.repeat(2000)}`,
    ].map((origin) => get(`origin ${origin.slice(0, 30)}`, { headers: { origin } })),
    ...[
      'Bearer',
      'Bearer ',
      `Bearer ${'a'.repeat(10_000)}`,
      `Bearer${' '.repeat(10_000)}x`,
      'Basic YTpi',
      'Bearer a b',
      'bearer esp_',
      'Bearer __proto__',
      'Bearer \u00ff',
    ].map((authorization) =>
      get(`authorization ${JSON.stringify(authorization.slice(0, 20))}`, {
        as: 'none',
        headers: { authorization },
      }),
    ),
    get('two authorizations', { as: 'none', headers: { authorization: ['Bearer a', 'Bearer b'] } }),
    get('a forged request id', { headers: { 'x-request-id': 'x","level":60,"a":"' } }),
    get('a forged client address', {
      headers: { 'x-forwarded-for': `${'1.2.3.4, '.repeat(1000)}x`, forwarded: 'for=x;host=y' },
    }),
    get('a forged method', { headers: { 'x-http-method-override': 'DELETE' } }),
    get('12 kB of headers', { headers: { 'x-a': 'a'.repeat(12_000) } }),
    get('20 kB of headers', { headers: { 'x-a': 'a'.repeat(20_000) } }),
    get('1,000 headers', {
      headers: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`x-${i}`, '1'])),
    }),
    get('conditions that contradict', {
      headers: { 'if-none-match': '*', 'if-match': '"x"', 'if-modified-since': 'never' },
    }),
    get('an expectation', { headers: { expect: '200-maybe' } }),
    get('cookies', { headers: { cookie: `${'a=b; '.repeat(2000)}__proto__=x` } }),
    get('a page with a path upwards', { as: 'none', path: '/docs/..%2f..%2f..%2fpackage.json' }),
    get('a page of scripts', { as: 'none', path: '/graphiql/<script>alert(1)</script>' }),
  ];
}

export const requestCases: readonly HttpCase[] = build();
