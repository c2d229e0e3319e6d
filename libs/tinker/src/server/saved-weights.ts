/** @file Weights that a server keeps on disk: `<data>/<model>/<kind>/<name>/`, each complete or absent. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError, type PolicyModel } from '@espalier/contracts';
import { publishFolder, verifyFolder, writeManifest } from '@espalier/files';
import { z } from 'zod';
import { folderOf } from './served-model.js';

export type WeightsKind = 'weights' | 'sampler_weights';

const meta = z.object({
  format: z.literal(1),
  base_model: z.string(),
  lora: z
    .object({
      rank: z.int().positive(),
      seed: z.number().nullish(),
      train_attn: z.boolean().optional(),
      train_mlp: z.boolean().optional(),
      train_unembed: z.boolean().optional(),
    })
    .nullable(),
});
export type SavedMeta = z.output<typeof meta>;

const safeName = /^[A-Za-z0-9][\w.-]{0,199}$/;
const pathForm =
  /^tinker:\/\/([A-Za-z0-9][\w:-]{0,99})\/(weights|sampler_weights)\/([A-Za-z0-9][\w.-]{0,199})$/;

/** Writes and finds saved weights below a folder. */
export class SavedWeights {
  constructor(private readonly folder: string) {}

  /** @returns its path on the wire. @throws engine.invalid_request, engine.refused */
  async save(
    { modelId, kind, name }: { readonly modelId: string; readonly kind: WeightsKind; readonly name: string },
    about: Omit<SavedMeta, 'format'>,
    policy: PolicyModel,
    overwrite: boolean,
  ): Promise<string> {
    if (!safeName.test(name))
      throw new AppError(
        'engine.invalid_request',
        `save weights "${name}": expected a name of letters, digits, dots and dashes`,
      );
    const target = join(this.folder, folderOf(modelId), kind, name);
    if (existsSync(target) && !overwrite)
      throw new AppError('engine.refused', `save weights "${name}": the name is taken; choose another`, {
        details: { status: 409 },
      });
    const temporary = `${target}.tmp-${process.pid}`;
    rmSync(temporary, { recursive: true, force: true });
    try {
      mkdirSync(join(temporary, 'policy'), { recursive: true });
      await policy.save(join(temporary, 'policy'), { optimizer: kind === 'weights' });
      writeFileSync(join(temporary, 'meta.json'), JSON.stringify({ format: 1, ...about }));
      writeManifest(temporary);
      mkdirSync(dirname(target), { recursive: true });
      publishFolder(temporary, target);
    } catch (error) {
      rmSync(temporary, { recursive: true, force: true });
      throw error;
    }
    return `tinker://${modelId}/${kind}/${name}`;
  }

  /** @throws engine.unsupported, trainer.corrupt_checkpoint */
  find(path: string): { readonly folder: string; readonly kind: WeightsKind; readonly meta: SavedMeta } {
    const [, modelId = '', kind = '', name = ''] = pathForm.exec(path) ?? [];
    const folder = join(this.folder, folderOf(modelId), kind, name);
    if (modelId === '' || !existsSync(join(folder, 'meta.json')))
      throw new AppError(
        'engine.unsupported',
        `find weights "${path}": this server has none under this path`,
      );
    verifyFolder(folder);
    const parsed = meta.parse(JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')));
    return { folder: join(folder, 'policy'), kind: kind as WeightsKind, meta: parsed };
  }
}
