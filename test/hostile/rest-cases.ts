/** @file Hostile requests over REST. */
import { gzipSync } from 'node:zlib';
import { sha256Of } from '../support/held-attempt.js';
import { parameterCases } from './parameter-cases.js';
import { requestCases } from './request-cases.js';
import type { HttpCase } from './send.js';
import { numbers, shapes, texts } from './values.js';
import { importedSpec, type Role } from './world.js';

const json = (value: unknown): string => JSON.stringify(value);

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
      'environment: { use: bandit }\nalgorithm: { use: grpo }\nmodel: { path: /etc }\nsteps: 3',
    'steps beyond numbers': 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 1e300',
  };
  const post = (name: string, body: string, as: Role) => ({
    name: `a spec of ${name}, as ${as}`,
    method: 'POST',
    path: '/api/v1/runs/plan',
    body,
    as,
  });
  return [
    ...Object.entries(yaml).map(([name, source]) =>
      post(name, json({ source, estimate: false }), 'operator'),
    ),
    post('deep JSON', `{"estimate":false,"spec":{"a":${shapes['a list of lists']}}}`, 'operator'),
    post(
      'deep overrides',
      json({
        source: 'a: 1',
        estimate: false,
        overrides: [`a=${'['.repeat(9000)}`, `${'a.'.repeat(4000)}b=1`],
      }),
      'operator',
    ),
    post(
      'overrides of a prototype',
      json({ source: 'a: 1', estimate: false, overrides: ['__proto__.x=1', 'constructor.prototype.x=1'] }),
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

export const restCases: readonly HttpCase[] = [
  ...parameterCases,
  ...imports(),
  ...specs(),
  ...uploads(),
  ...requestCases,
];
