import { z } from 'zod';
import { ApiBody } from './open-api-decorators.js';

/** Describes the body of a route by the schema that checks it. */
export function openApiBody(schema: z.ZodType, required = true): MethodDecorator {
  return ApiBody(() => {
    const { $schema: _version, ...described } = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
    });
    return { required, schema: described as never };
  });
}
