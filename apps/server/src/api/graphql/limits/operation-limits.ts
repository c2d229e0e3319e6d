/** @file Refuses GraphQL operations that exceed the limits, before anything is executed. */
import { AppError } from '@espalier/contracts';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  Source,
  TokenKind,
} from 'graphql';
import type { GraphqlLimits } from '../../../config/api-options.js';
import { measureOperation } from './measure-operation.js';

/** deep enough for the introspection query of any explorer */
const maxIntrospectionDepth = 20;
const maxIntrospectionLists = 3;

/** nested selections, lists and objects; far beyond the limit on the depth of fields */
const maxNesting = 100;
const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.PAREN_L, TokenKind.BRACKET_L]);
const closing: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.PAREN_R, TokenKind.BRACKET_R]);

/**
 * Refuses a document nested so deeply that the recursive parser or a visitor would exhaust the stack. Reads at most
 * `maxTokens` tokens, each once; the parser reports other faults.
 *
 * @throws graphql.too_deep
 */
export function checkNesting(text: string, maxTokens: number): void {
  const lexer = new Lexer(new Source(text));
  let depth = 0;
  try {
    for (let count = 0; count < maxTokens && lexer.advance().kind !== TokenKind.EOF; count++) {
      if (opening.has(lexer.token.kind)) depth += 1;
      else if (closing.has(lexer.token.kind)) depth -= 1;
      if (depth > maxNesting)
        refuse(
          'graphql.too_deep',
          `brackets are nested more than ${maxNesting} deep`,
          `${maxNesting}`,
          'read',
        );
    }
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
  }
}

/**
 * Checks an operation, with its variables, against the limits.
 *
 * @param document valid for the schema
 * @throws graphql.too_deep, graphql.too_costly
 */
export function validateLimits(
  schema: GraphQLSchema,
  document: DocumentNode,
  request: {
    operationName?: string | null | undefined;
    variables?: Readonly<Record<string, unknown>> | null | undefined;
  },
  limits: GraphqlLimits,
): void {
  const operation = getOperationAST(document, request.operationName);
  if (!operation) return;
  const { coerced } = getVariableValues(
    schema,
    operation.variableDefinitions ?? [],
    request.variables ?? {},
    // as many as the executor collects: each error computes suggestions, which takes time
    { maxErrors: 50 },
  );
  // Variables that do not fit are refused by the executor, which then executes nothing.
  if (coerced === undefined) return;
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const found = measureOperation(schema, operation, fragments, coerced);
  const { maxDepth, maxCost } = limits;
  if (found.depth > maxDepth)
    refuse('graphql.too_deep', `fields are nested ${found.depth} deep`, `${maxDepth}`);
  if (found.introspectionDepth > maxIntrospectionDepth || found.introspectionLists > maxIntrospectionLists) {
    const depth = `the schema is asked for ${found.introspectionDepth} deep, ${found.introspectionLists} lists in each other`;
    refuse('graphql.too_deep', depth, `${maxIntrospectionDepth} and ${maxIntrospectionLists}`);
  }
  if (!(found.cost <= maxCost)) refuse('graphql.too_costly', `it costs ${found.cost}`, `${maxCost}`);
}

function refuse(
  code: 'graphql.too_deep' | 'graphql.too_costly',
  finding: string,
  limit: string,
  operation = 'execute',
): never {
  throw new AppError(
    code,
    `${operation} the operation: ${finding}; the limit is ${limit}, so ask for less at once`,
  );
}
