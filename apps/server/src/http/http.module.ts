import { AppError } from '@espalier/contracts';
import { Module, StandardSchemaValidationPipe } from '@nestjs/common';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { QueryCheck } from './query-check.js';

/** Bodies, queries and parameters are checked by the zod schema of their decorator: `@Body({ schema })`. */
@Module({
  providers: [
    { provide: APP_INTERCEPTOR, useClass: QueryCheck },
    {
      provide: APP_PIPE,
      useFactory: () =>
        new StandardSchemaValidationPipe({
          exceptionFactory: (issues) => {
            const found = issues.map(({ path, message }) => {
              const at = (path ?? [])
                .map((part) => String(typeof part === 'object' ? part.key : part))
                .join('.');
              return at === '' ? message : `${at}: ${message}`;
            });
            return new AppError(
              'server.malformed',
              `read the request: ${found.join('; ').slice(0, 4000)}; see /docs`,
            );
          },
        }),
    },
  ],
})
export class HttpModule {}
