/** @file What tells measured models apart, so that an evaluation that goes on does not mix their numbers. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunSpec } from '@espalier/contracts';
import { hashFile } from '@espalier/files';
import type { OpenedModel } from '../local/open-model.js';

/** A run that has trained on is another model, and so is an adapter on another base or with another scale. */
export function identifyModel({ folder, base }: Pick<OpenedModel, 'folder' | 'base'>): string[] {
  return [folder, ...(base === undefined ? [] : [base])].flatMap((each) =>
    definingFiles(each).map((file) => hashFile(join(each, file))),
  );
}

/** The weights, and what says how they are computed with. */
const definingFiles = (folder: string): string[] => [
  ...['adapter_config.json', 'config.json'].filter((file) => existsSync(join(folder, file))),
  ...readdirSync(folder)
    .filter((file) => file.endsWith('.safetensors'))
    .sort(),
];

/** Of the device, what changes probabilities, and so what is played. */
export const identifyDevice = ({ provider, driver, precision, sampling }: RunSpec['device']) => ({
  provider,
  driver,
  precision,
  sampling,
});
