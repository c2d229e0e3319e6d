/** @file What is written about a model beside its files: for people, and what a warm start taught it. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { taughtFile } from '@espalier/contracts/model-choice';

/** Terms hold for what is made of a model too; a card describes this one alone. */
const terms = /^(licen[cs]e|notice|copying)/i;
const card = /^readme/i;

/**
 * Lists the documents of a model folder that a copy of it keeps.
 *
 * @param isChanged the copy is another model, with other weights, so the card is left out
 */
export function listDocuments(folder: string, { isChanged }: { readonly isChanged: boolean }): string[] {
  const isKept = (name: string): boolean =>
    name === taughtFile || terms.test(name) || (!isChanged && card.test(name));
  return readdirSync(folder)
    .filter((name) => isKept(name) && statSync(join(folder, name)).isFile())
    .sort();
}
