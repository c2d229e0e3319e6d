/** @file The description of REST: routes and bodies by Nest, answers by the routes, refusals by their codes. */
import { errorCodes } from '@espalier/contracts';
import type { INestApplication } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import type { DocumentBuilder, OpenAPIObject } from '@nestjs/swagger';
import type { JsonSchema, SchemaRegistry } from './response-schema.js';
import { describeResponses } from './open-api-response.js';
import { applyPending } from './open-api-decorators.js';

/** The description of REST, made from the controllers when somebody first asks for it. */
@Injectable()
export class OpenApiDocument {
  private app: INestApplication | undefined;
  private document: Promise<OpenAPIObject> | undefined;

  /** Says whose controllers are meant. */
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
  applyPending(swagger);
  return complete(swagger.SwaggerModule.createDocument(app, outline(new swagger.DocumentBuilder())));
}

function outline(builder: DocumentBuilder): Omit<OpenAPIObject, 'paths'> {
  return builder
    .setTitle('Espalier')
    .setDescription(
      'Start, steer and watch training runs. Send `authorization: Bearer <key>` with every request. Errors are `{ code, message, requestId }`; the codes are stable.',
    )
    .setVersion('1')
    .setOpenAPIVersion('3.1.0')
    .addSecurity('bearer', { type: 'http', scheme: 'bearer' })
    .addSecurityRequirements('bearer')
    .build();
}

const refusals: Readonly<Record<number, string>> = {
  400: 'The request is wrong; `message` says where.',
  401: 'No valid key.',
  403: 'The key may not do this.',
  404: 'Not there, or not in a project of the key.',
  409: 'Not possible in this state.',
  413: 'The body is larger than this address takes.',
  415: 'A body of a type that this address does not take.',
  422: 'What the body names cannot be used.',
  429: 'Too many requests; try again later.',
  500: 'A failure of the server, whose log says more.',
  503: 'Something that the server needs is away, or it is about to stop; try again later.',
};
/** Only of what has a body. */
const ofBodies: readonly number[] = [413, 415, 422];
/** Codes of these areas come by other doors only. */
const otherEndpoints = /^(graphql|stream|contracts|model)\./;

interface Operation {
  operationId?: string;
  responses?: Record<string, object>;
  security?: object[];
}

/** Says of every operation what it answers and how it refuses; what it says itself stays. */
function complete(document: OpenAPIObject): OpenAPIObject {
  const book: SchemaRegistry = new Map();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods) as [string, Operation][]) {
      const own = describeResponses(operation.operationId ?? '', book);
      const known = own ?? operation.responses ?? {};
      const isOpen = path.startsWith('/health/');
      if (isOpen) operation.security = [];
      operation.responses = { ...(isOpen ? {} : refusalsOf(method)), ...known };
    }
  for (const status of Object.keys(refusals).map(Number)) book.set(`Error${status}`, errorSchema(status));
  const schemas = { ...document.components?.schemas, ...Object.fromEntries(book) };
  return { ...document, components: { ...document.components, schemas: schemas as never } };
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
    description: 'Why nothing was done.',
    required: ['code', 'message', 'requestId'],
    properties: {
      code: { type: 'string', enum: codes, description: `Stable. ${meanings.join(' ')}` },
      message: { type: 'string', description: 'The operation, the finding, and the remedy.' },
      requestId: { type: 'string', description: 'Names the request in the log of the server.' },
    },
  };
}
