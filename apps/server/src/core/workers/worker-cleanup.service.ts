/**
 * @file Deletes disconnected workers: after a retention time, or on request. Attempts have their own copy of the
 * worker's name and host.
 */
import { AppError } from '@espalier/contracts';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type EntityManager, In, LessThan } from 'typeorm';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { RunLog } from '../database/run-log.js';
import { repeat } from '../database/repeat.js';
import { Attempt } from '../database/entities/attempt.js';
import { Clock } from '../database/clock.js';
import { DeviceMinute } from '../database/entities/device-minute.js';
import { WorkerPool } from './worker-pool.js';
import { Worker } from '../database/entities/worker.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

@Injectable()
export class WorkerCleanup implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('workers');
  private stop = (): Promise<void> => Promise.resolve();

  constructor(
    private readonly log: RunLog,
    private readonly pool: WorkerPool,
    private readonly clock: Clock,
    @Inject(SERVER_OPTIONS) private readonly options: Pick<ServerOptions, 'retention'>,
  ) {}

  onApplicationBootstrap(): void {
    if (this.options.retention.workersDays === 0) return;
    this.stop = repeat(
      () => this.sweep(),
      hourMs,
      (error) => this.logger.error(String(error)),
    );
  }

  onApplicationShutdown(): void {
    void this.stop();
  }

  /** Deletes workers that were disconnected for the retention time and have no running attempt. @returns their names */
  async sweep(): Promise<string[]> {
    const before = this.clock.now() - this.options.retention.workersDays * dayMs;
    const names = await this.log.write('workers', async (manager) => {
      const rows = await manager.findBy(Worker, { online: false, lastSeenAt: LessThan(before) });
      const gone: string[] = [];
      for (const row of rows)
        if ((await this.reasonToKeep(manager, row)) === null) {
          await this.deleteRow(manager, row);
          gone.push(row.name);
        }
      return gone;
    });
    if (names.length > 0)
      this.logger.log(`deleted workers that were disconnected for long: ${names.join(', ')}`);
    return names;
  }

  /** Deletes a worker now and returns it. @throws server.not_found, worker.not_possible */
  async forget(id: string): Promise<Worker> {
    return this.log.write('workers', async (manager) => {
      const row = await manager.findOneBy(Worker, { id });
      if (row === null)
        throw new AppError(
          'server.not_found',
          `forget worker "${id}": there is no such worker; list them to find its id`,
        );
      const reason = await this.reasonToKeep(manager, row);
      if (reason !== null)
        throw new AppError('worker.not_possible', `forget worker "${row.name}": ${reason}`);
      await this.deleteRow(manager, row);
      return row;
    });
  }

  private async reasonToKeep(manager: EntityManager, { id, online }: Worker): Promise<string | null> {
    if (online || (this.pool.worker(id)?.link ?? null) !== null) return 'it is connected; stop it first';
    const count = await manager.countBy(Attempt, { workerId: id, state: In(['assigned', 'running']) });
    return count === 0
      ? null
      : `${count} ${count === 1 ? 'attempt is' : 'attempts are'} running there; wait until their leases have expired`;
  }

  private async deleteRow(manager: EntityManager, { id }: Worker): Promise<void> {
    await manager.delete(Worker, { id });
    await manager.delete(DeviceMinute, { workerId: id });
    this.log.afterCommit(manager, () => this.pool.forget(id));
  }
}
