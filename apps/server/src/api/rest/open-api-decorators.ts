/**
 * @file OpenAPI decorators of routes. They are recorded here and applied to Nest's OpenAPI package when the document is
 * first requested, so that starting the server does not load it.
 */
import { applyDecorators } from '@nestjs/common';
import type * as Nest from '@nestjs/swagger';
import type { ApiBodyOptions, ApiHeaderOptions, ApiOperationOptions, ApiQueryOptions } from '@nestjs/swagger';
import type { z } from 'zod';

type Swagger = typeof Nest;
type Target = Parameters<ClassDecorator>[0];
type Method = Parameters<MethodDecorator>;

/** In the order in which decorators ran, which is that of the document. */
const pending: ((swagger: Swagger) => void)[] = [];
/** Names of query parameters, by the function that answers. */
const queries = new WeakMap<object, string[]>();

const onClass =
  (decorator: (swagger: Swagger) => ClassDecorator): ClassDecorator =>
  (target: Target) =>
    void pending.push((swagger) => void decorator(swagger)(target));

const onMethod =
  (decorator: (swagger: Swagger) => MethodDecorator): MethodDecorator =>
  (...method) =>
    void pending.push((swagger) => void decorator(swagger)(...(method as unknown as Method)));

/** Puts the routes of a class under a heading. */
export const ApiTags = (name: string): ClassDecorator => onClass((swagger) => swagger.ApiTags(name));

/** Says that the routes of a class need a key. */
export const ApiBearerAuth = (): ClassDecorator => onClass((swagger) => swagger.ApiBearerAuth());

/** Leaves the routes of a class out. */
export const ApiExcludeController = (): ClassDecorator =>
  onClass((swagger) => swagger.ApiExcludeController());

/** Says what a route is for. */
export const ApiOperation = (options: ApiOperationOptions): MethodDecorator =>
  onMethod((swagger) => swagger.ApiOperation(options));

/** Describes a header that a route reads. */
export const ApiHeader = (options: ApiHeaderOptions): MethodDecorator =>
  onMethod((swagger) => swagger.ApiHeader(options) as MethodDecorator);

/** Describes the body of a route; a function is called when the document is made. */
export const ApiBody = (body: ApiBodyOptions | (() => ApiBodyOptions)): MethodDecorator =>
  onMethod((swagger) => swagger.ApiBody(typeof body === 'function' ? body() : body));

/** Describes a parameter of the query of a route, which takes no other than those described. */
export function ApiQuery(options: ApiQueryOptions & { readonly name: string }): MethodDecorator {
  const describe = onMethod((swagger) => swagger.ApiQuery(options));
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    queries.set(handler, [...(queries.get(handler) ?? []), options.name]);
    describe(target, key, descriptor);
  };
}

/** Names of the query parameters that a route has described. */
export function queryParametersOf(handler: object): readonly string[] {
  return queries.get(handler) ?? [];
}

/** Applies the recorded decorators to Nest's OpenAPI package. */
export function applyPending(swagger: Swagger): void {
  for (const apply of pending.splice(0)) apply(swagger);
}

/** Describes the query string of a route by the schema that reads it. */
export function openApiQuery(schema: z.ZodObject): MethodDecorator {
  return applyDecorators(
    ...Object.entries(schema.shape).map(([name, part]) => {
      const kind = part as z.ZodType;
      const description = kind.description ?? '';
      return ApiQuery({ name, required: !kind.safeParse(undefined).success, description });
    }),
  );
}
