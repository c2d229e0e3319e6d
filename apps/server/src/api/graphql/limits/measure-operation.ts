/**
 * @file Measures a GraphQL operation without executing it: depth and cost, with fragments expanded and arguments coerced
 * with its variables. Every fragment is measured once, so that nested fragments do not
 * take exponential time. Introspection is counted separately: it is deep by nature.
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
import { defaultPageSize } from '../../../core/database/page.js';
import { jsonCost, rootCost, schemaCost } from './field-costs.js';
import { JsonScalar } from '../scalars.js';

export interface Measures {
  readonly depth: number;
  /** one per field, or its `complexity`, more at the root; fields within lists times the length of the list */
  readonly cost: number;
  /** nesting of fields of the schema’s own description */
  readonly introspectionDepth: number;
  /** lists within lists of the schema’s own description */
  readonly introspectionLists: number;
}

const nothing: Measures = {
  depth: 0,
  cost: 0,
  introspectionDepth: 0,
  introspectionLists: 0,
};

/** of a list that is not paged */
const assumedLength = 10;
const sizeArguments = ['first', 'last'];

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
  const root = schema.getRootType(operation.operation);
  const known = new Map<string, Measures>();

  /** @param pageLength of the connection whose selections these are */
  function ofSelections(
    selections: SelectionSetNode,
    parent: GraphQLNamedType,
    pageLength: number,
  ): Measures {
    return selections.selections
      .map((selection) => ofSelection(selection, parent, pageLength))
      .reduce(together, nothing);
  }

  function ofSelection(
    selection: SelectionSetNode['selections'][number],
    parent: GraphQLNamedType,
    pageLength: number,
  ): Measures {
    if (selection.kind === Kind.FIELD) return ofField(selection, parent, pageLength);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value, pageLength);
    const on = selection.typeCondition?.name.value;
    const type = (on === undefined ? undefined : schema.getType(on)) ?? parent;
    return ofSelections(selection.selectionSet, type, pageLength);
  }

  function ofFragment(name: string, pageLength: number): Measures {
    const fragment = fragments.get(name);
    const parent = fragment && schema.getType(fragment.typeCondition.name.value);
    if (!parent) return nothing;
    const key = isConnection(parent) ? `${name} ${pageLength}` : name;
    const measured = known.get(key);
    if (measured !== undefined) return measured;
    known.set(key, nothing);
    const measures = ofSelections(fragment.selectionSet, parent, pageLength);
    known.set(key, measures);
    return measures;
  }

  function ofField(node: FieldNode, parent: GraphQLNamedType, pageLength: number): Measures {
    const field = fieldOf(schema, parent, node.name.value);
    const type = field && getNamedType(field.type);
    const inside =
      node.selectionSet === undefined || !isCompositeType(type)
        ? nothing
        : ofSelections(node.selectionSet, type, field && isConnection(type) ? pageLengthOf(field, node) : 1);
    const isIntrospection = parent.name.startsWith('__') || node.name.value.startsWith('__');
    const isList = field !== undefined && isListType(getNullableType(field.type));
    const listLength = isConnection(parent) ? pageLength : assumedLength;
    return {
      depth: inside.depth + (isIntrospection ? 0 : 1),
      cost:
        (parent === root ? rootCost : 0) +
        ownCost(field, node) +
        inside.cost * (isList && !isIntrospection ? listLength : 1),
      introspectionDepth: inside.introspectionDepth + (isIntrospection ? 1 : 0),
      introspectionLists: inside.introspectionLists + (isIntrospection && isList ? 1 : 0),
    };
  }

  /** The cost of a field without its selections: its `complexity`, else 1, or more for JSON. */
  function ownCost(field: GraphQLField<unknown, unknown> | undefined, node: FieldNode): number {
    const declared: unknown = field?.extensions['complexity'];
    if (field === undefined) return 1;
    if (field === SchemaMetaFieldDef) return schemaCost;
    if (typeof declared === 'number') return declared;
    if (typeof declared !== 'function') return getNamedType(field.type) === JsonScalar ? jsonCost : 1;
    const args = getArgumentValues(field, node, variables as Record<string, unknown>);
    return Math.max(1, Math.ceil((declared as (asked: { args: unknown }) => number)({ args })));
  }

  function pageLengthOf(field: GraphQLField<unknown, unknown>, node: FieldNode): number {
    const values = getArgumentValues(field, node, variables as Record<string, unknown>);
    const sizes = sizeArguments.map((name) => values[name]).filter((size) => typeof size === 'number');
    return sizes.length > 0 ? Math.max(1, ...sizes.map(Math.abs)) : defaultPageSize;
  }

  return root ? ofSelections(operation.selectionSet, root, 1) : nothing;
}

function together(a: Measures, b: Measures): Measures {
  return {
    depth: Math.max(a.depth, b.depth),
    cost: a.cost + b.cost,
    introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
    introspectionLists: Math.max(a.introspectionLists, b.introspectionLists),
  };
}

/** Its lists have the length of the page. */
function isConnection(type: GraphQLNamedType): boolean {
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
