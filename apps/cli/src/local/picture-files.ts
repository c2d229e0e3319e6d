/** @file Pictures as files in a folder that a user named. */
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { createFolder, describeObstacle, saveWholeFile } from '@espalier/files';
import { showPath } from '../view/show-path.js';

/** Saves pictures by name and returns their paths. */
export interface PictureFolder {
  save(name: string, bytes: Uint8Array): string;
}

/**
 * Opens a folder for PNG files; existing ones of the same name are replaced.
 *
 * @throws cli.unusable_folder
 */
export function openPictureFolder(folder: string): PictureFolder {
  createFolder(folder, 'save pictures');
  return {
    save: (name, bytes) => {
      const path = join(folder, `${name}.png`);
      try {
        saveWholeFile(path, bytes);
      } catch (cause) {
        throw new AppError(
          'cli.unusable_folder',
          `save pictures: "${path}" cannot be written: ${describeObstacle(cause)}; name another folder`,
          { cause },
        );
      }
      return showPath(path);
    },
  };
}
