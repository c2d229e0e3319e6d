import type { INestApplication } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

/** The description of REST, made from the controllers when somebody first asks for it. */
@Injectable()
export class OpenApiDocument {
  private app: INestApplication | undefined;
  private document: OpenAPIObject | undefined;

  /** Says whose controllers are meant. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  get(): OpenAPIObject {
    if (this.app === undefined) throw new Error('OpenApiDocument: the application has not started');
    return (this.document ??= withErrors(SwaggerModule.createDocument(this.app, outline())));
  }
}

function outline(): Omit<OpenAPIObject, 'paths'> {
  return new DocumentBuilder()
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

const refusals: Readonly<Record<string, string>> = {
  400: 'The request is wrong; `message` says where.',
  401: 'No valid key.',
  403: 'The key may not do this.',
  404: 'Not there, or not in a project of the key.',
  409: 'Not possible in this state.',
  429: 'Too many requests; try again later.',
};

const errorSchema: NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string] = {
  type: 'object',
  description: 'Why nothing was done.',
  required: ['code', 'message', 'requestId'],
  properties: {
    code: { type: 'string', description: 'Stable code, such as `run.wrong_state`.' },
    message: { type: 'string', description: 'What was attempted, what was found, and what to do.' },
    requestId: { type: 'string', description: 'Names the request in the log of the server.' },
  },
};

/** Says of every operation how it refuses; what it says itself stays. */
function withErrors(document: OpenAPIObject): OpenAPIObject {
  const components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Error: errorSchema },
  };
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  const shared = Object.entries(refusals).map(
    ([status, description]) => [status, { description, content }] as const,
  );
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const operation of Object.values(methods) as { responses?: object; security?: object[] }[]) {
      if (path.startsWith('/health/')) operation.security = [];
      else operation.responses = { ...Object.fromEntries(shared), ...operation.responses };
    }
  }
  return { ...document, components };
}
