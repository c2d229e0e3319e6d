/** @file Files that a command writes again and again: one that it did not make itself is not written over. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { AppError } from '@espalier/contracts';

/**
 * Refuses to write over what was not made by the command.
 *
 * @param operation the command, its option and the file
 * @param isOwn whether a text is of the kind that the command writes
 * @throws cli.unusable_folder
 */
export function refuseForeignFile(operation: string, file: string, isOwn: (text: string) => boolean): void {
  if (!existsSync(file) || !statSync(file).isFile()) return;
  const text = readFileSync(file, 'utf8');
  if (text.trim() === '' || isOwn(text)) return;
  throw new AppError(
    'cli.unusable_folder',
    `${operation}: it exists, and is nothing that this command has written; name a new file`,
  );
}
