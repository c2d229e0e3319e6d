/**
 * @file Measures a GraphQL operation without executing it: depth, aliases, root fields and cost, with fragments
 * expanded and arguments coerced with the variables that came with it. Every fragment is measured once, so that
 * fragments doubling each other cost nothing. Introspection is counted apart: it is deep by nature.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  getArgumentValues,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { jsonCost } from './field-costs.js';
import { JsonScalar } from './scalars.js';

export interface Measures {
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  /** one per field, or what it declares as `complexity`, and what is inside of it times the page size */
  readonly cost: number;
  /** nesting of fields of the schema’s own description */
  readonly introspectionDepth: number;
  /** lists within lists of the schema’s own description */
  readonly introspectionLists: number;
}

const nothing: Measures = {
  ...{ depth: 0, aliases: 0, rootFields: 0, cost: 0 },
  ...{ introspectionDepth: 0, introspectionLists: 0 },
};

/** a list without a page size, not inside of a page */
const assumedLength = 10;
const sizeArguments = ['first', 'limit'];

/**
 * Measures an operation of a document that is valid for the schema.
 *
 * @param variables coerced already
 */
export function measureOperation(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  variables: Readonly<Record<string, unknown>>,
): Measures {
  const known = new Map<string, Measures>();

  function ofSelections(selections: SelectionSetNode, parent: GraphQLNamedType): Measures {
    return selections.selections.map((selection) => ofSelection(selection, parent)).reduce(together, nothing);
  }

  function ofSelection(
    selection: SelectionSetNode['selections'][number],
    parent: GraphQLNamedType,
  ): Measures {
    if (selection.kind === Kind.FIELD) return ofField(selection, parent);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value);
    const on = selection.typeCondition?.name.value;
    return ofSelections(
      selection.selectionSet,
      (on === undefined ? undefined : schema.getType(on)) ?? parent,
    );
  }

  function ofFragment(name: string): Measures {
    const measured = known.get(name);
    if (measured !== undefined) return measured;
    known.set(name, nothing);
    const fragment = fragments.get(name);
    const parent = fragment && schema.getType(fragment.typeCondition.name.value);
    const measures = parent ? ofSelections(fragment.selectionSet, parent) : nothing;
    known.set(name, measures);
    return measures;
  }

  function ofField(node: FieldNode, parent: GraphQLNamedType): Measures {
    const field = fieldOf(schema, parent, node.name.value);
    const type = field && getNamedType(field.type);
    const inside =
      node.selectionSet === undefined || !isCompositeType(type)
        ? nothing
        : ofSelections(node.selectionSet, type);
    const isIntrospection = parent.name.startsWith('__') || node.name.value.startsWith('__');
    const isList = field !== undefined && isListType(getNullableType(field.type));
    return {
      depth: inside.depth + (isIntrospection ? 0 : 1),
      aliases: inside.aliases + (node.alias === undefined ? 0 : 1),
      rootFields: 1,
      cost:
        ownCost(field, node) +
        inside.cost * (field === undefined || isIntrospection ? 1 : lengthOf(field, node, parent, isList)),
      introspectionDepth: inside.introspectionDepth + (isIntrospection ? 1 : 0),
      introspectionLists: inside.introspectionLists + (isIntrospection && isList ? 1 : 0),
    };
  }

  /** What a field costs by itself: what it declares, maybe by its arguments; else 1, or more for any JSON. */
  function ownCost(field: GraphQLField<unknown, unknown> | undefined, node: FieldNode): number {
    const declared: unknown = field?.extensions['complexity'];
    if (field === undefined) return 1;
    if (typeof declared === 'number') return declared;
    if (typeof declared !== 'function') return getNamedType(field.type) === JsonScalar ? jsonCost : 1;
    const args = getArgumentValues(field, node, variables as Record<string, unknown>);
    return Math.max(1, Math.ceil((declared as (asked: { args: unknown }) => number)({ args })));
  }

  function lengthOf(
    field: GraphQLField<unknown, unknown>,
    node: FieldNode,
    parent: GraphQLNamedType,
    isList: boolean,
  ): number {
    const values = getArgumentValues(field, node, variables as Record<string, unknown>);
    const sizes = sizeArguments.map((name) => values[name]).filter((size) => typeof size === 'number');
    if (sizes.length > 0) return Math.max(1, ...sizes.map(Math.abs));
    return isList && !isPage(parent) ? assumedLength : 1;
  }

  const root = schema.getRootType(operation.operation);
  return root ? ofSelections(operation.selectionSet, root) : nothing;
}

function together(a: Measures, b: Measures): Measures {
  return {
    depth: Math.max(a.depth, b.depth),
    aliases: a.aliases + b.aliases,
    rootFields: a.rootFields + b.rootFields,
    cost: a.cost + b.cost,
    introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
    introspectionLists: Math.max(a.introspectionLists, b.introspectionLists),
  };
}

/** The items of a page were counted with its size. */
function isPage(type: GraphQLNamedType): boolean {
  return isObjectType(type) && type.getFields()['pageInfo'] !== undefined;
}

function fieldOf(
  schema: GraphQLSchema,
  parent: GraphQLNamedType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (parent === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}
