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
    return (this.document ??= SwaggerModule.createDocument(this.app, outline()));
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
    .addBearerAuth()
    .build();
}
