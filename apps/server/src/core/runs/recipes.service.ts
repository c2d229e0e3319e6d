/** @file Recipes: the run configurations that come with Espalier, for a page that starts a run from one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { findInstallation } from '@espalier/config/plain';
import { Injectable } from '@nestjs/common';
import { parse } from 'yaml';

export class Recipe {
  name!: string;

  title!: string;

  description!: string;

  source!: string;

  spec!: Readonly<Record<string, unknown>>;
}

@Injectable()
export class Recipes {
  private known: readonly Recipe[] | undefined;

  /** Lists the recipes of this installation by name; they are read once. */
  list(): readonly Recipe[] {
    return (this.known ??= readRecipes(join(findInstallation().folder, 'config', 'runs')));
  }
}

/** Reads the recipes of a folder and its folders; none where there is no such folder. */
export function readRecipes(folder: string): Recipe[] {
  return listFiles(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => {
      const source = readFileSync(join(folder, file), 'utf8');
      const name = file.slice(0, -'.yaml'.length).split(sep).join('/');
      return { name, ...describe(source), source, spec: parse(source) as Recipe['spec'] };
    });
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * A file begins with comments: for editors, then what it is, then indented lines about it. Its first sentence is the
 * title; commands mean nothing to a page.
 */
function describe(source: string): Pick<Recipe, 'title' | 'description'> {
  const lines = source.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('#'));
  const comments = lines
    .slice(0, end === -1 ? lines.length : end)
    .map((line) => line.slice(1))
    .filter((line) => !/^ *(yaml-language-server:|npm run )/.test(line));
  const isIndented = (line: string): boolean => line.startsWith('  ');
  const joined = (parts: readonly string[]): string => parts.map((line) => line.trim()).join(' ');
  const summary = joined(comments.filter((line) => !isIndented(line)));
  const [title = ''] = /^.*?\.(?= |$)|^.*$/.exec(summary) ?? [];
  const rest = [summary.slice(title.length).trim(), joined(comments.filter(isIndented))];
  return { title, description: rest.filter(Boolean).join('\n') };
}
