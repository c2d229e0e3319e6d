/** @file Hostile requests over REST: every parameter and every property that docs/reference/openapi.json names, and more. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { sha256Of } from '../support/held-attempt.js';
import type { HttpCase } from './send.js';
import { numbers, shapes, someOf, texts } from './values.js';
import { historyEvents, importedSpec, type Role } from './world.js';

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: Record<string, { schema: { properties?: Record<string, unknown> } }>;
  };
}

const document = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../docs/reference/openapi.json', import.meta.url)), 'utf8'),
) as { paths: Record<string, Record<string, Operation>> };

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);
const textNames = Object.keys(texts);
const coded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());
/** An address has at most some 16 kB. */
const short = (text: string): string => text.slice(0, 3000);

/** Puts an id that is there, or a text, into the holes of a path. */
function address(path: string, hole?: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => hole ?? (name === 'id' ? '{scratch}' : 'x'));
}

/** Reading is for viewers; what changes something is tried by who may. */
const roleFor = (method: string, path: string): Role =>
  method !== 'GET' || /keys|audit/.test(path) ? 'admin' : 'viewer';

function inPaths(): HttpCase[] {
  return operations
    .filter(({ path }) => path.includes('{'))
    .flatMap(({ path, method }, index) =>
      someOf(textNames, 2, index).map((name) => ({
        name: `${method} ${path} of ${name}`,
        method,
        as: roleFor(method, path),
        path: address(path, coded(short(texts[name] ?? ''))),
      })),
    );
}

function inQueries(): HttpCase[] {
  return operations.flatMap(({ path, method, operation }, index) =>
    (operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'query')
      .flatMap(({ name }, nth) => {
        const values = [
          ...['a NUL', ...someOf(textNames, 1, index + nth * 7)].map(
            (text) => [text, texts[text] ?? ''] as const,
          ),
          ...someOf(numbers, 1, index * 3 + nth).map((number) => [number, number] as const),
        ];
        return values.map(([what, value]) => ({
          name: `${method} ${path}?${name}= ${what}`,
          method,
          as: roleFor(method, path),
          path: `${address(path)}?${name}=${coded(short(value))}`,
        }));
      }),
  );
}

const json = (value: unknown): string => JSON.stringify(value);
const valid: Readonly<Record<string, Record<string, unknown>>> = {
  '/api/v1/keys': { name: 'another', role: 'viewer', projects: ['default'] },
  '/api/v1/runs': {
    source: 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n',
    dryRun: true,
  },
  '/api/v1/runs/plan': { source: 'no: spec' },
  '/api/v1/runs/import': { spec: importedSpec, fingerprint: sha256Of('one of the hostile') },
  '/api/v1/runs/{id}/import/events': { attempt: 1, events: [{ sequence: 1, event: historyEvents[1] }] },
  '/api/v1/runs/{id}/import/end': {
    state: 'finished',
    events: [1],
    files: { count: 0, bytes: 0, sha256: sha256Of('') },
  },
};

/** A body that is right but for one property, which is given as JSON text. */
function bodyWith(path: string, property: string, value: string): string {
  const rest = Object.entries(valid[path] ?? {}).filter(([name]) => name !== property);
  return `{${[...rest.map(([name, given]) => `${json(name)}:${json(given)}`), `${json(property)}:${value}`].join(',')}}`;
}

function inBodies(): HttpCase[] {
  const shapeNames = Object.keys(shapes);
  return operations.flatMap(({ path, method, operation }, index) => {
    const schema = operation.requestBody?.content['application/json']?.schema;
    const request = { method, as: 'admin' as const, path: address(path) };
    const whole = someOf(shapeNames, schema === undefined ? 0 : 3, index).map((shape) => ({
      ...request,
      name: `${method} ${path} with ${shape}`,
      body: shapes[shape] ?? '',
    }));
    const parts = Object.keys(schema?.properties ?? {}).flatMap((property, nth) => {
      const salt = index + nth * 5;
      const values = [
        ...['a NUL', ...someOf(textNames, 1, salt)].map((text) => [text, json(texts[text])] as const),
        ...someOf(numbers, 1, salt).map((number) => [number, number] as const),
        ...someOf(shapeNames, 1, salt).map((shape) => [shape, shapes[shape] ?? ''] as const),
      ];
      return values.map(([what, value]) => ({
        ...request,
        name: `${method} ${path} with ${property}: ${what}`,
        body: bodyWith(path, property, value),
      }));
    });
    return [...whole, ...parts];
  });
}

/** Events as an import sends them, each with one thing wrong; some are let in, and then read again below. */
function imports(): HttpCase[] {
  const event = (text: string) => `{"attempt":1,"events":[{"sequence":1,"event":${text}}]}`;
  const send = (name: string, body: string, as: Role = 'operator') => ({
    name: `import ${name}`,
    method: 'POST',
    path: '/api/v1/runs/{scratch}/import/events',
    body,
    as,
  });
  const many = (count: number) => Array.from({ length: count }, (_, i) => `"metric/${i}":${i}`).join(',');
  return [
    ...numbers.flatMap((number) => [
      send(
        `metrics at time ${number}`,
        event(`{"kind":"metrics","time":${number},"step":1,"values":{"a":1}}`),
      ),
      send(
        `metrics at step ${number}`,
        event(`{"kind":"metrics","time":1,"step":${number},"values":{"a":1}}`),
      ),
      send(`a value ${number}`, event(`{"kind":"metrics","time":1,"step":1,"values":{"a":${number}}}`)),
      send(
        `a warning at time ${number}`,
        event(`{"kind":"warning","time":${number},"step":1,"code":"a","message":"b"}`),
      ),
      {
        name: `import a run that began at ${number}`,
        method: 'POST',
        path: '/api/v1/runs/import',
        as: 'operator' as const,
        body: `{"spec":${json(importedSpec)},"fingerprint":"${sha256Of(`began at ${number}`)}","startedAt":${number}}`,
      },
    ]),
    ...Object.entries(texts).flatMap(([name, text]) => [
      send(
        `a metric named ${name}`,
        event(`{"kind":"metrics","time":1,"step":1,"values":{${json(text)}:1}}`),
      ),
      send(`a line of ${name}`, event(`{"kind":"log","time":1,"text":${json(text)}}`)),
      {
        name: `import a run named ${name}`,
        method: 'POST',
        path: '/api/v1/runs/import',
        as: 'operator' as const,
        body: json({ spec: { ...importedSpec, name: text }, name: text, fingerprint: sha256Of(name) }),
      },
    ]),
    send('a row of 40,000 metrics', event(`{"kind":"metrics","time":1,"step":1,"values":{${many(40_000)}}}`)),
    send(
      'sequences out of order',
      '{"attempt":1,"events":[{"sequence":9,"event":{"kind":"log","time":1,"text":"x"}},{"sequence":2,"event":{"kind":"log","time":1,"text":"x"}}]}',
    ),
    send(
      'an attempt of the far future',
      '{"attempt":9999,"events":[{"sequence":1,"event":{"kind":"log","time":1,"text":"x"}}]}',
    ),
    send(
      '20,000 events',
      `{"attempt":1,"events":[${'{"sequence":1,"event":{"kind":"log","time":1,"text":""}},'.repeat(20_000)}{}]}`,
    ),
  ];
}

/** Specs as YAML. */
function specs(): HttpCase[] {
  const yaml: Readonly<Record<string, string>> = {
    questions: '? '.repeat(30_000),
    'flow lists': '['.repeat(30_000),
    'flow maps': '{a: '.repeat(20_000),
    'a deep list': Array.from({ length: 2000 }, (_, i) => `${' '.repeat(i)}-\n`)
      .join('')
      .slice(0, 500_000),
    dashes: '- '.repeat(30_000),
    'aliases that multiply': `a0: &a0 [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`).join('\n')}`,
    'an alias of itself': 'a: &a [*a]',
    'anchors without end': Array.from({ length: 20_000 }, (_, i) => `k${i}: &a${i} 1`).join('\n'),
    'a tag of JavaScript': '!!js/function "function () { return 1 }"',
    'a merge of a prototype': '<<: { __proto__: { a: 1 } }',
    'prototype keys': '__proto__: { use: x }\nconstructor: { prototype: x }',
    'a binary': `a: !!binary ${'A'.repeat(100_000)}`,
    'quotation marks': `a: "${'\\"'.repeat(50_000)}`,
    'an open text': `a: '${"''".repeat(50_000)}`,
    'block text': `a: |\n${' x\n'.repeat(50_000)}`,
    'many documents': '---\n'.repeat(20_000),
    directives: '%YAML 1.2\n'.repeat(10_000),
    comments: '#'.repeat(300_000),
    tabs: '\t'.repeat(100_000),
    'a byte order mark': '\ufeffenvironment: { use: bandit }',
    'numbers of all kinds': 'steps: .inf\nseed: .nan\na: 0x7fffffffffffffff\nb: 1e999\nc: 0o777',
    'a moment': 'steps: 2001-12-14t21:59:43.10-05:00',
    'keys of every kind': '? [a, b]\n: c\n? { d: e }\n: f\nnull: g\ntrue: h\n1.5: i',
    'an environment of a path':
      'environment: { use: ../../../etc/passwd }\nalgorithm: { use: grpo }\nsteps: 3',
    'a model of the disk':
      'environment: { use: bandit }\nalgorithm: { use: grpo }\nmodel: { use: /etc }\nsteps: 3',
    'steps beyond numbers': 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 1e300',
  };
  const post = (name: string, body: string, as: Role) => ({
    name: `a spec of ${name}, as ${as}`,
    method: 'POST',
    path: '/api/v1/runs',
    body,
    as,
  });
  return [
    ...Object.entries(yaml).map(([name, source]) => post(name, json({ source, dryRun: true }), 'operator')),
    post('deep JSON', `{"dryRun":true,"spec":{"a":${shapes['a list of lists']}}}`, 'operator'),
    post(
      'deep overrides',
      json({ source: 'a: 1', dryRun: true, overrides: [`a=${'['.repeat(9000)}`, `${'a.'.repeat(4000)}b=1`] }),
      'operator',
    ),
    post(
      'overrides of a prototype',
      json({ source: 'a: 1', dryRun: true, overrides: ['__proto__.x=1', 'constructor.prototype.x=1'] }),
      'operator',
    ),
    post('questions', json({ source: '? '.repeat(30_000) }), 'viewer'),
  ];
}

/** Uploads, by the worker that holds the attempt. */
function uploads(): HttpCase[] {
  const put = (name: string, path: string, body: Buffer, headers: Record<string, string> = {}): HttpCase => ({
    name: `upload ${name}`,
    method: 'PUT',
    as: 'worker',
    body,
    path: `/api/v1/runs/{heldRun}/artifacts/${path}`,
    headers: { 'content-type': 'application/octet-stream', 'x-espalier-sha256': sha256Of(body), ...headers },
  });
  const bytes = Buffer.from('x');
  const bomb = gzipSync(Buffer.alloc(20_000_000, '\n'));
  return [
    ...[
      '..%2f..%2fx',
      '%2e%2e/x',
      'a%00b',
      'a//b',
      '.hidden',
      `${'a/'.repeat(200)}x`,
      'x'.repeat(900),
      'C:%5cx',
      'con',
      'a%0ab',
      '__proto__',
      'manifest.json/x',
    ].map((path) => put(`to ${path.slice(0, 20)}`, path, bytes)),
    put('with a wrong hash', 'x', bytes, { 'x-espalier-sha256': 'a'.repeat(64) }),
    put('with a hash that is none', 'x', bytes, { 'x-espalier-sha256': '../../x' }),
    put('without an attempt', 'x', bytes, { 'x-espalier-token': '1e999' }),
    put('of an attempt of nobody', 'x', bytes, {
      'x-espalier-attempt': 'attempt-none',
      'x-espalier-token': '1',
    }),
    put('as JSON', 'x', Buffer.from('{'), { 'content-type': 'application/json' }),
    put('as a form', 'x', Buffer.from('--b\r\ncontent-disposition: form-data; name="x"\r\n\r\n1'), {
      'content-type': 'multipart/form-data; boundary=b',
    }),
    put(
      'of a checkpoint that is none',
      'checkpoints/step-1/manifest.json',
      Buffer.from('{"logs":{"../../x":{"bytes":0}}}'),
    ),
    put('packed within the request', 'x', gzipSync(bytes), { 'content-encoding': 'gzip' }),
    put('of newlines, packed', 'trajectories/step-000001.jsonl.gz', bomb),
    {
      name: 'read the packed newlines eight times at once',
      method: 'GET',
      as: 'viewer',
      count: 8,
      path: '/api/v1/runs/{heldRun}/trajectories/train/1/0/0',
    },
  ];
}

/** Requests that are wrong as requests. */
function requests(): HttpCase[] {
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
      path: '/api/v1/runs/{scratch}/metrics?name=policy/loss&from=50&to=-50&points=2',
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

export const restCases: readonly HttpCase[] = [
  ...inPaths(),
  ...inQueries(),
  ...inBodies(),
  ...imports(),
  ...specs(),
  ...uploads(),
  ...requests(),
];
