/** @file The responses that routes declare, for the OpenAPI document. */
import type { SchemaRegistry, Shape } from './response-schema.js';

interface Answer {
  /** undefined: bytes */
  readonly shape: Shape | undefined;
  readonly description: string;
}

type Answers = Readonly<Record<number, Answer>>;

/** By operation, as the document names it. */
const answers = new Map<string, Answers>();

function note(target: object, method: string | symbol, given: Answers): void {
  const operation = `${target.constructor.name}_${String(method)}`;
  answers.set(operation, { ...answers.get(operation), ...given });
}

/** Says what a route answers with a status. */
export function openApiResponse(shape: Shape, status = 200, description = 'Done.'): MethodDecorator {
  return (target, method) => note(target, method, { [status]: { shape, description } });
}

/** Says that a route answers bytes. */
export function openApiBytes(status = 200, description = 'The bytes.'): MethodDecorator {
  return (target, method) => note(target, method, { [status]: { shape: undefined, description } });
}

/** The responses of an operation for the document; undefined when its route says nothing. */
export function describeResponses(
  operation: string,
  book: SchemaRegistry,
): Readonly<Record<string, object>> | undefined {
  const known = answers.get(operation);
  if (known === undefined) return undefined;
  const entries = Object.entries(known).map(([status, { shape, description }]) => [
    status,
    {
      description,
      content:
        shape === undefined
          ? { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
          : { 'application/json': { schema: shape(book) } },
    },
  ]);
  return Object.fromEntries(entries) as Record<string, object>;
}
