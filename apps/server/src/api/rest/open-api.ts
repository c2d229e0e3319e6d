/**
 * @file What routes declare for the OpenAPI document. Declarations are only recorded here, so that the server starts
 * without Nest's OpenAPI package; open-api-document.ts adds them to the routes that the package finds.
 */
import { z } from 'zod';
import type { JsonSchema, SchemaRegistry, Shape } from './response-schema.js';

/** What a route is for, what it takes, and what it returns. */
export interface RouteDescription {
  readonly summary: string;
  /** of the query string; the route takes no other parameters */
  readonly query?: z.ZodObject;
  /** of the header fields that the route reads, besides `authorization` */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** the body may be left out */
  readonly isBodyOptional?: boolean;
  /** of the response with status 200 */
  readonly response?: Shape;
  /** by status, if it is not only 200 */
  readonly responses?: Readonly<Record<number, readonly [shape: Shape, description: string]>>;
}

/** A response of bytes. */
export const bytes: Shape = () => ({ type: 'string', format: 'binary' });
/** A response of plain text. */
export const plainText: Shape = () => ({ type: 'string' });
const mediaTypes = new Map([
  [bytes, 'application/octet-stream'],
  [plainText, 'text/plain'],
]);

const routes = new Map<string, RouteDescription>();
const tags = new Map<string, string>();
const queries = new WeakMap<object, readonly string[]>();

/** Describes a route. Routes without a description are not in the document. */
export function Describe(description: RouteDescription): MethodDecorator {
  return (target, method, { value }) => {
    routes.set(`${target.constructor.name}_${String(method)}`, description);
    queries.set(value as object, Object.keys(description.query?.shape ?? {}));
  };
}

/** Groups the routes of a controller under a heading. */
export function Tag(name: string): ClassDecorator {
  return ({ name: controller }) => void tags.set(controller, name);
}

/** Names of the query parameters that a route takes. */
export const queryParametersOf = (handler: object): readonly string[] => queries.get(handler) ?? [];

/** The parts of an operation that its route declares. */
export interface OperationParts {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: readonly object[];
  readonly requestBody?: object;
  readonly responses: object;
}

/** Makes the parts of an operation that its route declares; undefined if the route has no description. */
export function describeOperation(operationId: string, registry: SchemaRegistry): OperationParts | undefined {
  const route = routes.get(operationId);
  if (route === undefined) return undefined;
  const { summary, query, headers, body, isBodyOptional = false } = route;
  const [controller = ''] = operationId.split('_');
  const schema = body && toInputSchema(body);
  return {
    summary,
    tags: [tags.get(controller) ?? controller],
    parameters: [...parametersIn('query', query), ...parametersIn('header', headers)],
    ...(schema && {
      requestBody: { required: !isBodyOptional, content: { 'application/json': { schema } } },
    }),
    responses: responsesOf(route, registry),
  };
}

function responsesOf({ response, responses }: RouteDescription, registry: SchemaRegistry): object {
  const all = responses ?? (response === undefined ? {} : { 200: [response, 'Done.'] as const });
  return Object.fromEntries(
    Object.entries(all).map(([status, [shape, description]]) => {
      const type = mediaTypes.get(shape) ?? 'application/json';
      return [status, { description, content: { [type]: { schema: shape(registry) } } }];
    }),
  );
}

function parametersIn(place: 'query' | 'header', schema: z.ZodObject | undefined): object[] {
  return Object.entries(schema?.shape ?? {}).map(([name, part]) => {
    const { description, ...described } = toInputSchema(part as z.ZodType);
    const required = !(part as z.ZodType).safeParse(undefined).success;
    return { name, in: place, required, description, schema: described };
  });
}

function toInputSchema(schema: z.ZodType): JsonSchema & { readonly description?: string } {
  const options = { io: 'input', unrepresentable: 'any' } as const;
  const { $schema: _version, ...described } = z.toJSONSchema(schema, options);
  return described;
}
