/** @file The OpenAPI document: routes found by Nest's package, described by themselves, with the error codes. */
import { errorCodes } from '@espalier/contracts/error-codes';
import type { INestApplication } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import type { DocumentBuilder, OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import { bytes, describedRoutes, plainText, type RouteDescription, tagOf } from './open-api.js';
import { type JsonSchema, toResponseSchemas } from './response-schema.js';

/** The document, created when it is first requested. */
@Injectable()
export class OpenApiDocument {
  private app: INestApplication | undefined;
  private document: Promise<OpenAPIObject> | undefined;

  /** Sets the application whose controllers it describes. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  get(): Promise<OpenAPIObject> {
    if (this.app === undefined) throw new Error('OpenApiDocument: the application has not started');
    return (this.document ??= createDocument(this.app));
  }
}

async function createDocument(app: INestApplication): Promise<OpenAPIObject> {
  const swagger = await import('@nestjs/swagger');
  return complete(swagger.SwaggerModule.createDocument(app, outline(new swagger.DocumentBuilder())));
}

function outline(builder: DocumentBuilder): Omit<OpenAPIObject, 'paths'> {
  return builder
    .setTitle('Espalier')
    .setDescription(
      'Start, control and watch training runs. Send `authorization: Bearer <key>` with every request. Errors are `{ code, message, requestId }`; the codes are stable.',
    )
    .setVersion('1')
    .setOpenAPIVersion('3.1.0')
    .addSecurity('bearer', { type: 'http', scheme: 'bearer' })
    .addSecurityRequirements('bearer')
    .build();
}

const refusals: Readonly<Record<number, string>> = {
  400: 'The request is invalid; `message` names the fault.',
  401: 'No valid key.',
  403: 'The key may not do this.',
  404: 'It does not exist, or not in a project of the key.',
  409: 'Not possible in this state.',
  413: 'The body is larger than this route accepts.',
  415: 'A body of a type that this route does not accept.',
  422: 'The body is well-formed, but cannot be processed.',
  429: 'Too many requests; try again later.',
  500: 'A failure of the server; its log has the details.',
  503: 'Something that the server needs is unavailable, or it is shutting down; try again later.',
};
/** Only of operations with a body. */
const ofBodies: readonly number[] = [413, 415, 422];
/** Codes that do not occur over REST. */
const otherEndpoints = /^(graphql|stream|contracts|model)\./;

interface Operation {
  operationId: string;
  parameters?: { readonly in: string }[];
}
/** Of a path: by method. */
type Operations = Record<string, Operation>;
/** Schemas of responses, by operation and status. */
type ResponseSchemas = Readonly<Record<string, JsonSchema>>;

/** Adds to every operation what its route declares, and how it refuses; leaves out routes without a description. */
function complete(document: OpenAPIObject): OpenAPIObject {
  const responses = [...describedRoutes].flatMap(([operationId, route]) =>
    responsesOf(route).map(([status, schema]) => [`${operationId} ${status}`, schema] as const),
  );
  const { ofResponses, ofClasses } = toResponseSchemas(new Map(responses));
  const paths = Object.entries(document.paths as Record<string, Operations>).map(([path, operations]) => {
    const described = Object.entries(operations).flatMap(([method, operation]) => {
      const route = describedRoutes.get(operation.operationId);
      return route === undefined
        ? []
        : [[method, describeOperation(path, method, operation, route, ofResponses)] as const];
    });
    return [path, Object.fromEntries(described)] as const;
  });
  const errors = Object.keys(refusals).map((status) => [`Error${status}`, errorSchema(Number(status))]);
  const schemas = { ...ofClasses, ...(Object.fromEntries(errors) as Record<string, JsonSchema>) };
  return {
    ...document,
    paths: Object.fromEntries(paths.filter(([, operations]) => Object.keys(operations).length > 0)) as never,
    components: { ...document.components, schemas: schemas as never },
  };
}

function describeOperation(
  path: string,
  method: string,
  { operationId, parameters = [] }: Operation,
  route: RouteDescription,
  schemas: ResponseSchemas,
): object {
  const { summary, query, headers, body, isBodyOptional = false } = route;
  const isOpen = path.startsWith('/health/');
  const schema = body && toInputSchema(body);
  const responses = responsesOf(route).map(([status, response, description]) => {
    const content = {
      [mediaTypes.get(response) ?? 'application/json']: { schema: schemas[`${operationId} ${status}`] },
    };
    return [status, { description, content }];
  });
  return {
    operationId,
    summary,
    tags: [tagOf(operationId)],
    parameters: [
      ...parameters.filter((parameter) => parameter.in === 'path'),
      ...parametersIn('query', query),
      ...parametersIn('header', headers),
    ],
    ...(schema && {
      requestBody: { required: !isBodyOptional, content: { 'application/json': { schema } } },
    }),
    ...(isOpen && { security: [] }),
    responses: { ...(isOpen ? {} : refusalsOf(method)), ...Object.fromEntries(responses) },
  };
}

const mediaTypes = new Map<z.ZodType, string>([
  [bytes, 'application/octet-stream'],
  [plainText, 'text/plain'],
]);

function responsesOf({ response, responses }: RouteDescription): [string, z.ZodType, string][] {
  if (responses === undefined) return response === undefined ? [] : [['200', response, 'Done.']];
  return Object.entries(responses).map(([status, [schema, description]]) => [status, schema, description]);
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

function refusalsOf(method: string): Record<string, object> {
  const fitting = Object.entries(refusals).filter(
    ([status]) => method !== 'get' || !ofBodies.includes(Number(status)),
  );
  return Object.fromEntries(
    fitting.map(([status, description]) => {
      const schema = { $ref: `#/components/schemas/Error${status}` };
      return [status, { description, content: { 'application/json': { schema } } }];
    }),
  );
}

/** The body of a refusal, with every code that comes with the status. */
function errorSchema(status: number): JsonSchema {
  const rows = Object.entries(errorCodes).filter(
    ([code, row]) => row.status === status && !otherEndpoints.test(code),
  );
  const codes = rows.map(([code]) => code);
  const meanings = rows.map(([code, { meaning }]) => `\`${code}\`: ${meaning}.`);
  return {
    type: 'object',
    description: 'Why the request was refused.',
    required: ['code', 'message', 'requestId'],
    properties: {
      code: { type: 'string', enum: codes, description: `Stable. ${meanings.join(' ')}` },
      message: { type: 'string', description: 'The operation, the finding, and the remedy.' },
      requestId: { type: 'string', description: 'Identifies the request in the log of the server.' },
    },
  };
}
