import { writeFileSync } from 'node:fs';
import { AppError } from '@espalier/contracts';
import { describeObstacle } from '@espalier/files';
import { refuseForeignFile } from '../local/foreign-file.js';

/** Refuses a name that says the picture is of another kind. @throws cli.usage */
export function requireSvg(command: string, file: string): void {
  if (/\.svg$/i.test(file)) return;
  throw new AppError(
    'cli.usage',
    `${command} --svg ${file}: the picture is an SVG; name a file that ends in .svg`,
  );
}

/** Writes what a command has drawn for `--svg`. @throws cli.unusable_folder */
export function savePicture(command: string, file: string, svg: string): void {
  refuseForeignFile(`${command} --svg ${file}`, file, (text) => text.trimStart().startsWith('<svg'));
  try {
    writeFileSync(file, svg);
  } catch (cause) {
    throw new AppError(
      'cli.unusable_folder',
      `${command} --svg ${file}: ${describeObstacle(cause)}; choose another file`,
      { cause },
    );
  }
}
