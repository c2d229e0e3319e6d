/** @file Text that the databases can store, in requests of any form. */
import { AppError } from '@espalier/contracts';
import { text } from '@espalier/protocol/bounds';
import { type DocumentNode, visit } from 'graphql';

const storable = text(Number.MAX_SAFE_INTEGER, { isMultiline: true });

/**
 * Refuses control characters and lone surrogates in every text, at any depth.
 *
 * @throws server.invalid_input
 */
export function validateStorable(operation: string, given: unknown): void {
  const left: unknown[] = [given];
  for (let value = left.pop(); value !== undefined || left.length > 0; value = left.pop()) {
    if (typeof value === 'string') validateText(operation, value);
    else if (typeof value === 'object' && value !== null)
      for (const [name, part] of Object.entries(value)) {
        validateText(operation, name);
        left.push(part);
      }
  }
}

/** The same for the strings in a GraphQL document. @throws server.invalid_input */
export function validateStorableDocument(document: DocumentNode): void {
  visit(document, {
    StringValue: ({ value }) => validateText('read the operation', value),
  });
}

function validateText(operation: string, value: string): void {
  if (storable.safeParse(value).success) return;
  throw new AppError(
    'server.invalid_input',
    `${operation}: ${JSON.stringify(value.slice(0, 100))} has control characters or half a character; send text without them`,
  );
}
