import { z } from 'zod';
import type { Definition } from './definition.js';

/** The JSON Schema of a definition's options as a person writes them: types, ranges, defaults, descriptions. */
export function paramsJsonSchema(definition: Definition<string, unknown>): Record<string, unknown> {
  return z.toJSONSchema(definition.params, { io: 'input', unrepresentable: 'any' });
}
