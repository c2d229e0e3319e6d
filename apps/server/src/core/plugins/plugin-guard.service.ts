/**
 * @file Checks that a run resumes with the plugins it was created with. It compares the files that are installed on the server
 * now, reloaded or not, because a training process loads them itself.
 */
import { existsSync } from 'node:fs';
import { AppError } from '@espalier/contracts';
import { describePluginDifference, findPluginDifferences, type PluginVersion } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RunLog } from '../database/run-log.js';
import { Run } from '../database/entities/run.js';
import { PluginCatalogue } from './plugin-catalogue.service.js';

@Injectable()
export class PluginGuard {
  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly catalogue: PluginCatalogue,
  ) {}

  /**
   * Refuses to resume a run with other plugins.
   *
   * @param accepts replaces the plugins of the run by those that are installed now
   * @throws plugin.changed naming what differs and what can be done; plugin.catalogue_unavailable
   */
  async assertUnchanged(runId: string, accepts: boolean): Promise<void> {
    const { plugins } = await this.source.getRepository(Run).findOneByOrFail({ id: runId });
    if (plugins === null || plugins.length === 0) return;
    const installed = await this.installedVersions(plugins);
    const differences = findPluginDifferences(plugins, installed);
    const missing = differences.flatMap(({ before, now }) => (now === undefined ? [before] : []));
    const changed = differences.filter(({ now }) => now !== undefined);
    if (missing.length > 0)
      throw new AppError(
        'plugin.changed',
        `resume run ${runId}: ${missing.map(({ kind, id }) => `${kind} ${id}`).join(', ')} is no longer installed; install it again`,
      );
    if (changed.length === 0) return;
    if (accepts) {
      await this.log.write({ runId }, (manager) =>
        manager.update(Run, { id: runId }, { plugins: installed as never }),
      );
      return;
    }
    throw new AppError(
      'plugin.changed',
      `resume run ${runId}: its plugins are not those it was created with: ${changed.map(describePluginDifference).join('; ')}; restore those, or accept the new ones with acceptPlugins (\`espalier run resume ${runId} --accept-plugins\`), or fork the run to keep the results apart`,
      { details: { changed } },
    );
  }

  /** The same plugins as installed, without those that are no longer installed. */
  private async installedVersions(plugins: readonly PluginVersion[]): Promise<PluginVersion[]> {
    const installed = await this.catalogue.list();
    // loaded on demand, as no other part of the server needs it
    const { hashPackage } = await import('@espalier/plugin-host');
    return plugins.flatMap(({ kind, id }) => {
      const found = installed.find((plugin) => plugin.kind === kind && plugin.id === id);
      if (found === undefined || !existsSync(found.folder)) return [];
      const { version, folder } = found;
      return [{ kind, id, version, sha256: hashPackage(folder) }];
    });
  }
}
