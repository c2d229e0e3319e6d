// Prints the schema of the server and its description of REST, and makes the typed operations of the client from it and libs/client/src/operations.
import { readdirSync, readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typedDocuments from '@graphql-codegen/typed-document-node';
import * as operationTypes from '@graphql-codegen/typescript-operations';
import { serverOptions, startServer } from '@espalier/server';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  lexicographicSortSchema,
  parse,
  printSchema,
  typeFromAST,
} from 'graphql';

/** Starts a server in a folder of its own to read its schema, as SDL, and its description of REST. */
export async function describeServer() {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-schema-'));
  const server = await startServer(serverOptions.parse({ port: 0, logLevel: 'silent', data: folder }));
  try {
    const served = lexicographicSortSchema(server.app.get(GraphQLSchemaHost).schema);
    const schema = printSchema(served);
    const enumValues = listEnumValues(served);
    const openApi = await (await fetch(`${server.url}/docs/json`)).text();
    return { schema, enumValues, openApi };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** By enum and name, the value that the wire has for it: `{ JobState: { FINISHED: 'finished' } }`. */
function listEnumValues(schema) {
  const enums = Object.values(schema.getTypeMap()).filter(
    (type) => isEnumType(type) && !type.name.startsWith('__'),
  );
  return Object.fromEntries(
    enums.map((type) => [
      type.name,
      Object.fromEntries(type.getValues().map(({ name, value }) => [name, value])),
    ]),
  );
}

/**
 * Where the enums of each operation are, in its variables and in its data: `{ filter: { states: 'JobState' } }`. With it
 * the client gives and takes values as the wire spells them.
 */
function listEnumPlaces(schema, documents) {
  const definitions = documents.flatMap(({ document }) => document.definitions);
  const fragments = new Map(
    definitions.filter(({ kind }) => kind === 'FragmentDefinition').map((one) => [one.name.value, one]),
  );
  const ofInput = (type, within = []) => {
    const named = getNamedType(type);
    if (isEnumType(named)) return named.name;
    if (!isInputObjectType(named) || within.includes(named)) return undefined;
    return compact(
      Object.values(named.getFields()).map((field) => [field.name, ofInput(field.type, [...within, named])]),
    );
  };
  const ofSelections = (selectionSet, type) => {
    const found = {};
    for (const selection of selectionSet.selections) {
      if (selection.kind === 'Field') {
        const field = type.getFields?.()[selection.name.value];
        if (field === undefined) continue;
        const named = getNamedType(field.type);
        const inside = isEnumType(named)
          ? named.name
          : selection.selectionSet && ofSelections(selection.selectionSet, named);
        merge(found, compact([[selection.alias?.value ?? selection.name.value, inside]]));
      } else {
        const { typeCondition, selectionSet: inner } =
          selection.kind === 'InlineFragment' ? selection : fragments.get(selection.name.value);
        merge(found, ofSelections(inner, typeCondition ? typeFromAST(schema, typeCondition) : type));
      }
    }
    return compact(Object.entries(found));
  };
  const roots = { query: 'getQueryType', mutation: 'getMutationType', subscription: 'getSubscriptionType' };
  return definitions
    .filter(({ kind }) => kind === 'OperationDefinition')
    .map(({ name, operation, selectionSet, variableDefinitions }) => {
      const variables = variableDefinitions.map(({ variable, type }) => [
        variable.name.value,
        ofInput(typeFromAST(schema, type)),
      ]);
      const data = ofSelections(selectionSet, schema[roots[operation]]());
      return { name: `${name.value}Document`, variables: compact(variables) ?? {}, data: data ?? {} };
    });
}

function compact(entries) {
  const kept = entries.filter(([, value]) => value !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function merge(into, from = {}) {
  for (const [name, value] of Object.entries(from))
    if (typeof value === 'object' && typeof into[name] === 'object') merge(into[name], value);
    else into[name] = value;
}

/** Types and documents of every operation, and where their enums are. */
export async function generateOperations(schema, enumValues, folder) {
  const documents = readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => ({ location: name, document: parse(readFileSync(join(folder, name), 'utf8')) }));
  const places = listEnumPlaces(buildSchema(schema), documents);
  const used = new Set(
    JSON.stringify(places)
      .match(/"[^"]+"/g)
      .map((text) => JSON.parse(text)),
  );
  const spellings = Object.fromEntries(Object.entries(enumValues).filter(([name]) => used.has(name)));
  const enums = `
/** Values of enums by their names in GraphQL. */
export const enumValues: Readonly<Record<string, Readonly<Record<string, string>>>> = ${JSON.stringify(spellings)};

interface EnumPlaces {
  readonly variables: object;
  readonly data: object;
}

/** Where enums are in the variables and the data of each operation. */
export const enumPlaces: ReadonlyMap<unknown, EnumPlaces> = new Map<unknown, EnumPlaces>([
${places.map(({ name, variables, data }) => `[${name}, ${JSON.stringify({ variables, data })}],`).join('\n')}
]);
`;
  const operations = await codegen({
    filename: 'operations.ts',
    schema: parse(schema),
    documents,
    config: {
      useTypeImports: true,
      immutableTypes: true,
      scalars: {
        DateTime: 'string',
        JSON: 'unknown',
        NumberMap: 'Readonly<Record<string, number | null>>',
        Numbers: 'readonly (number | null)[]',
        SafeInt: 'number',
      },
      enumValues,
    },
    plugins: [{ note: {} }, { types: {} }, { documents: {} }],
    pluginMap: {
      note: {
        plugin: () => '// Made by tools/generate.mjs from src/operations and the schema of the server.',
      },
      types: operationTypes,
      documents: typedDocuments,
    },
    pluginContext: {},
  });
  return operations + enums;
}
