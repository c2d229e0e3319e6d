/** @file The OpenAPI document: routes found by Nest's package, described by themselves, with the error codes. */
import { errorCodes } from '@espalier/contracts';
import type { INestApplication } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import type { DocumentBuilder, OpenAPIObject } from '@nestjs/swagger';
import type { JsonSchema, SchemaRegistry } from './response-schema.js';
import { describeOperation } from './open-api.js';

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

/** Adds to every operation what its route declares, and how it refuses; leaves out routes without a description. */
function complete(document: OpenAPIObject): OpenAPIObject {
  const registry: SchemaRegistry = new Map();
  const paths = Object.entries(document.paths as Record<string, Operations>).map(([path, operations]) => {
    const described = Object.entries(operations).flatMap(([method, operation]) => {
      const complete = completeOperation(path, method, operation, registry);
      return complete === undefined ? [] : [[method, complete] as const];
    });
    return [path, Object.fromEntries(described)] as const;
  });
  for (const status of Object.keys(refusals).map(Number)) registry.set(`Error${status}`, errorSchema(status));
  const schemas = Object.fromEntries(registry) as never;
  return {
    ...document,
    paths: Object.fromEntries(paths.filter(([, operations]) => Object.keys(operations).length > 0)) as never,
    components: { ...document.components, schemas },
  };
}

function completeOperation(
  path: string,
  method: string,
  { operationId, parameters: given = [] }: Operation,
  registry: SchemaRegistry,
): object | undefined {
  const described = describeOperation(operationId, registry);
  if (described === undefined) return undefined;
  const { parameters, responses, ...rest } = described;
  const isOpen = path.startsWith('/health/');
  return {
    operationId,
    ...rest,
    parameters: [...given.filter((parameter) => parameter.in === 'path'), ...parameters],
    ...(isOpen && { security: [] }),
    responses: { ...(isOpen ? {} : refusalsOf(method)), ...responses },
  };
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
