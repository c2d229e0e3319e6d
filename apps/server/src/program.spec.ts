import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** What a file loads before it runs. */
function loadedBy(path: string): string[] {
  const { statements } = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement) && statement.importClause?.isTypeOnly !== true;
    const isExport = ts.isExportDeclaration(statement) && !statement.isTypeOnly;
    if (!isImport && !isExport) return [];
    const { moduleSpecifier } = statement;
    return moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? [moduleSpecifier.text] : [];
  });
}

/** All packages that are loaded with a file, by way of the files beside it. */
function packagesOf(path: string, seen = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (seen.has(path)) return packages;
  seen.add(path);
  for (const name of loadedBy(path)) {
    if (!name.startsWith('.')) packages.add(name);
    else packagesOf(join(dirname(path), name.replace(/\.js$/, '.ts')), seen, packages);
  }
  return packages;
}

const source = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

describe('the program of the server', () => {
  it('reads its settings before it loads what serves', () => {
    const packages = packagesOf(source('main.ts'));
    expect(packages).toContain('@espalier/config/plain');
    for (const name of ['@nestjs/core', 'typeorm', 'graphql']) expect(packages).not.toContain(name);
  });

  it('loads nothing at its start that only some requests or settings need', () => {
    const packages = packagesOf(source('serve.ts'));
    expect(packages).toContain('@nestjs/core');
    const later = ['@nestjs/swagger', '@espalier/config', '@espalier/plugin-host', '@aws-sdk/client-s3'];
    for (const name of [...later, 'pg', 'hyparquet-writer', 'libsql']) expect(packages).not.toContain(name);
  });
});
