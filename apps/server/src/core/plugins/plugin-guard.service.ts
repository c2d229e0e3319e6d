/**
 * @file A run goes on with the plugins it was made with. Compared are the files as they lie on the server now, whether or
 * not they were loaded anew, because a training process loads them itself.
 */
import { existsSync } from 'node:fs';
import { AppError } from '@espalier/contracts';
import { describePluginDifference, findPluginDifferences } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RunLog } from '../database/run-log.js';
import { Run } from '../database/entities/run.js';
import type { PluginVersion } from './catalogue-messages.js';
import { PluginCatalogue } from './plugin-catalogue.service.js';

@Injectable()
export class PluginGuard {
  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly catalogue: PluginCatalogue,
  ) {}

  /**
   * Refuses to let a run go on with other plugins.
   *
   * @param accepts take those that are installed now; from then on they are the run's
   * @throws plugin.changed naming what differs and what can be done; plugin.catalogue_unavailable
   */
  async assertUnchanged(runId: string, accepts: boolean): Promise<void> {
    const { plugins } = await this.source.getRepository(Run).findOneByOrFail({ id: runId });
    if (plugins === null || plugins.length === 0) return;
    const present = await this.versionsNow(plugins);
    const differences = findPluginDifferences(plugins, present);
    const missing = differences.flatMap(({ before, now }) => (now === undefined ? [before] : []));
    const changed = differences.filter(({ now }) => now !== undefined);
    if (missing.length > 0)
      throw new AppError(
        'plugin.changed',
        `resume run ${runId}: ${missing.map(({ kind, id }) => `${kind} ${id}`).join(', ')} is not installed any more; install it again`,
      );
    if (changed.length === 0) return;
    if (accepts) {
      await this.log.write({ runId }, (manager) =>
        manager.update(Run, { id: runId }, { plugins: present as never }),
      );
      return;
    }
    throw new AppError(
      'plugin.changed',
      `resume run ${runId}: its plugins are not those it was made with: ${changed.map(describePluginDifference).join('; ')}; put those back, or take the new ones with acceptPlugins (\`espalier run resume ${runId} --accept-plugins\`), or fork the run to keep apart what is learnt with each`,
      { details: { changed } },
    );
  }

  /** In the order given, without those that are not there any more. */
  private async versionsNow(plugins: readonly PluginVersion[]): Promise<PluginVersion[]> {
    const installed = await this.catalogue.list();
    // brings much that no other part of the server needs
    const { hashPackage } = await import('@espalier/plugin-host');
    return plugins.flatMap(({ kind, id }) => {
      const found = installed.find((plugin) => plugin.kind === kind && plugin.id === id);
      if (found === undefined || !existsSync(found.folder)) return [];
      const { version, folder } = found;
      return [{ kind, id, version, sha256: hashPackage(folder) }];
    });
  }
}
