// Prints the schema of the server and its description of REST, and makes the typed operations of the client from it and libs/client/src/operations.
import { readdirSync, readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typedDocuments from '@graphql-codegen/typed-document-node';
import * as operationTypes from '@graphql-codegen/typescript-operations';
import { serverOptions, startServer } from '@espalier/server';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { lexicographicSortSchema, parse, printSchema } from 'graphql';

/** Starts a server in a folder of its own to read its schema, as SDL, and its description of REST. */
export async function describeServer() {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-schema-'));
  const server = await startServer(serverOptions.parse({ port: 0, logLevel: 'silent', data: folder }));
  try {
    const schema = printSchema(lexicographicSortSchema(server.app.get(GraphQLSchemaHost).schema));
    const openApi = await (await fetch(`${server.url}/docs/json`)).text();
    return { schema, openApi };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Types and documents of every operation. */
export async function generateOperations(schema, folder) {
  const documents = readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => ({ location: name, document: parse(readFileSync(join(folder, name), 'utf8')) }));
  return codegen({
    filename: 'operations.ts',
    schema: parse(schema),
    documents,
    config: {
      useTypeImports: true,
      immutableTypes: true,
      scalars: { DateTime: 'string', JSON: 'unknown', Numbers: 'readonly (number | null)[]' },
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
}
