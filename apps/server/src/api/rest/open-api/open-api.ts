/**
 * @file What routes declare for the OpenAPI document. Declarations are only recorded here, so that the server starts
 * without Nest's OpenAPI package; open-api-document.ts adds them to the routes that the package finds.
 */
import { z } from 'zod';

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
  readonly response?: z.ZodType;
  /** by status, if it is not only 200 */
  readonly responses?: Readonly<Record<number, readonly [schema: z.ZodType, description: string]>>;
}

/** A response of bytes. */
export const bytes = z.string().meta({ format: 'binary' });
/** A response of plain text. */
export const plainText = z.string();

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

/** The routes that have a description, by operation id. */
export const describedRoutes: ReadonlyMap<string, RouteDescription> = routes;

/** The heading of an operation. */
export function tagOf(operationId: string): string {
  const [controller = ''] = operationId.split('_');
  return tags.get(controller) ?? controller;
}
