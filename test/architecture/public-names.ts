import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { root } from './source-files.js';

/** The names a file exports, including types. Follows `export *` of files; `export *` of a package is one name. */
export function publicNames(path: string, names = new Set<string>()): Set<string> {
  const text = readFileSync(join(root, path), 'utf8');
  for (const statement of ts.createSourceFile(path, text, ts.ScriptTarget.Latest).statements) {
    if (ts.isExportDeclaration(statement)) collectReExport(statement, path, names);
    else collectDeclared(statement, names);
  }
  return names;
}

function collectReExport(
  { exportClause, moduleSpecifier }: ts.ExportDeclaration,
  path: string,
  names: Set<string>,
): void {
  const from =
    moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
  if (exportClause === undefined && from.startsWith('.'))
    publicNames(join(dirname(path), from.replace(/\.js$/, '.ts')), names);
  else if (exportClause === undefined) names.add(`* from ${from}`);
  else if (ts.isNamespaceExport(exportClause)) names.add(exportClause.name.text);
  else for (const { name } of exportClause.elements) names.add(name.text);
}

function collectDeclared(statement: ts.Statement, names: Set<string>): void {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) !== true) return;
  const declared = ts.isVariableStatement(statement)
    ? statement.declarationList.declarations
    : [statement as ts.DeclarationStatement];
  for (const { name } of declared) if (name !== undefined && ts.isIdentifier(name)) names.add(name.text);
}
