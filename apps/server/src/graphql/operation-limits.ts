/** @file Refuses GraphQL operations that ask for too much, before anything is executed. */
import { AppError } from '@espalier/contracts';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  getOperationAST,
  getVariableValues,
  type GraphQLSchema,
  Kind,
} from 'graphql';
import type { GraphqlLimits } from '../config/access-options.js';
import { measureOperation } from './measure-operation.js';

/** deep enough for the introspection query of any explorer */
const maxIntrospectionDepth = 20;
const maxIntrospectionLists = 3;

/**
 * Lets an operation through that keeps the limits; what its variables say counts.
 *
 * @param document valid for the schema
 * @throws graphql.too_deep, graphql.too_many_aliases, graphql.too_many_fields, graphql.too_costly
 */
export function requireWithinLimits(
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
    // as many as the executor collects: each finding looks for names that were meant, which takes a while
    { maxErrors: 50 },
  );
  // Variables that do not fit are refused by the executor, which then executes nothing.
  if (coerced === undefined) return;
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const found = measureOperation(schema, operation, fragments, coerced);
  const { maxDepth, maxAliases, maxRootFields, maxCost } = limits;
  if (found.depth > maxDepth)
    refuse('graphql.too_deep', `fields are nested ${found.depth} deep`, `${maxDepth}`);
  if (found.introspectionDepth > maxIntrospectionDepth || found.introspectionLists > maxIntrospectionLists) {
    const depth = `the schema is asked for ${found.introspectionDepth} deep, ${found.introspectionLists} lists in each other`;
    refuse('graphql.too_deep', depth, `${maxIntrospectionDepth} and ${maxIntrospectionLists}`);
  }
  if (found.aliases > maxAliases)
    refuse('graphql.too_many_aliases', `${found.aliases} aliases`, `${maxAliases}`);
  if (found.rootFields > maxRootFields)
    refuse('graphql.too_many_fields', `${found.rootFields} fields at the root`, `${maxRootFields}`);
  if (!(found.cost <= maxCost)) refuse('graphql.too_costly', `it costs ${found.cost}`, `${maxCost}`);
}

function refuse(
  code: 'graphql.too_deep' | 'graphql.too_many_aliases' | 'graphql.too_many_fields' | 'graphql.too_costly',
  finding: string,
  limit: string,
): never {
  throw new AppError(
    code,
    `execute the operation: ${finding}; the limit is ${limit}, so ask for less at once`,
  );
}
