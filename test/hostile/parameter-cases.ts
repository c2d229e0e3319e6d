/** @file Hostile values over REST in every parameter and every property that docs/reference/openapi.json names. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
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
  '/api/v1/runs': { source: 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n' },
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

export const parameterCases: readonly HttpCase[] = [...inPaths(), ...inQueries(), ...inBodies()];
