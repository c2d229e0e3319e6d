/** @file Pictures, and other results with names of their own, as files in a folder that a user named. */
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { createFolder, describeObstacle, saveWholeFile } from '@espalier/files';
import { showPath } from '../view/show-path.js';

/** Saves files by name and returns their paths. */
export interface ResultFolder {
  save(name: string, bytes: Uint8Array): string;
}

/** Opens a folder for PNG files. @throws cli.unusable_folder */
export const openPictureFolder = (folder: string): ResultFolder =>
  openResultFolder(folder, 'save pictures', 'png');

/**
 * Opens a folder for files; existing ones of the same name are replaced.
 *
 * @param operation for errors
 * @throws cli.unusable_folder
 */
export function openResultFolder(folder: string, operation: string, extension: string): ResultFolder {
  createFolder(folder, operation);
  return {
    save: (name, bytes) => {
      const path = join(folder, `${name}.${extension}`);
      try {
        saveWholeFile(path, bytes);
      } catch (cause) {
        throw new AppError(
          'cli.unusable_folder',
          `${operation}: "${path}" cannot be written: ${describeObstacle(cause)}; name another folder`,
          { cause },
        );
      }
      return showPath(path);
    },
  };
}
