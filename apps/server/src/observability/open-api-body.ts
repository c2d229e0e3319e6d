import { ApiBody } from '@nestjs/swagger';
import { z } from 'zod';

/** Describes the body of a route by the schema that checks it. */
export function openApiBody(schema: z.ZodType, required = true): MethodDecorator {
  const { $schema: _version, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return ApiBody({ required, schema: described as never });
}
