/** @file What devices did over time: their heartbeats as means of a minute, in the database for `retention.devicesDays`. */
import { AppError } from '@espalier/contracts';
import type { Device } from '@espalier/protocol';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DataSource, LessThan, MoreThanOrEqual } from 'typeorm';
import { z } from 'zod';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { Clock } from '../database/clock.js';
import { DeviceMinute, type DeviceReading, type DeviceSpan } from '../database/entities/device-minute.js';
import { Worker } from '../database/entities/worker.js';
import { RunLog } from '../database/run-log.js';
import { repeat } from '../database/repeat.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const rowsPerWrite = 200;
const flushMs = 10_000;

/** Which part of the history, and how finely. */
export const deviceHistoryQuery = z.strictObject({
  hours: z.coerce.number().gt(0).max(8760).default(24).describe('how far back, in hours'),
  points: z.coerce
    .number()
    .int()
    .min(1)
    .max(1440)
    .default(96)
    .describe('into how many equal spans the time is divided; those without a report are left out'),
});

/** A minute that is not over yet. */
interface OpenMinute {
  readonly at: number;
  readonly reports: DeviceReading[][];
}

@Injectable()
export class DeviceHistory implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('workers');
  private readonly open = new Map<string, OpenMinute>();
  private over: DeviceMinute[] = [];
  private current: Promise<void> = Promise.resolve();
  private readonly stops: (() => Promise<void>)[] = [];

  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly clock: Clock,
    @Inject(SERVER_OPTIONS) private readonly options: Pick<ServerOptions, 'retention'>,
  ) {}

  onApplicationBootstrap(): void {
    const onError = (error: unknown): void => this.logger.error(String(error));
    this.stops.push(repeat(() => this.flush(), flushMs, onError));
    if (this.options.retention.devicesDays > 0) this.stops.push(repeat(() => this.sweep(), hourMs, onError));
  }

  /** Stores what there is of the minutes that are not over. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.stops.map((stop) => stop()));
    for (const workerId of this.open.keys()) this.end(workerId);
    await this.flush().catch((error: unknown) => this.logger.error(String(error)));
  }

  /** Takes a report of a worker. */
  note(workerId: string, devices: readonly Device[]): void {
    const at = Math.floor(this.clock.now() / minuteMs) * minuteMs;
    if (this.open.get(workerId)?.at !== at) this.end(workerId);
    const minute = this.open.get(workerId) ?? { at, reports: [] };
    this.open.set(workerId, minute);
    minute.reports.push(
      devices.map(({ id, utilisation, freeMemoryMb, powerWatts, temperatureCelsius }) => ({
        id,
        utilisation,
        freeMemoryMb,
        powerWatts,
        temperatureCelsius,
      })),
    );
  }

  /** Writes the minutes that are over; what cannot be written is tried again by the next call. */
  async flush(): Promise<void> {
    const now = this.clock.now();
    for (const [workerId, { at }] of this.open) if (at + minuteMs <= now) this.end(workerId);
    this.current = this.current.catch(() => undefined).then(() => this.write());
    return this.current;
  }

  /** Deletes what is older than `retention.devicesDays`. */
  async sweep(): Promise<void> {
    const before = this.clock.now() - this.options.retention.devicesDays * dayMs;
    await this.log.write('workers', async (manager) => {
      await manager.delete(DeviceMinute, { at: LessThan(before) });
    });
  }

  /** Reads the means of equal spans up to now, oldest first. @throws server.not_found */
  async list(
    workerId: string,
    { hours, points }: z.output<typeof deviceHistoryQuery>,
  ): Promise<DeviceSpan[]> {
    if (!(await this.source.getRepository(Worker).existsBy({ id: workerId })))
      throw new AppError(
        'server.not_found',
        `read the devices of worker "${workerId}": there is no such worker; list them to find its id`,
      );
    const to = this.clock.now();
    const span = Math.max(minuteMs, (hours * hourMs) / points);
    const from = to - hours * hourMs;
    const rows = await this.source.getRepository(DeviceMinute).find({
      where: { workerId, at: MoreThanOrEqual(from) },
      order: { at: 'ASC' },
    });
    const spans = new Map<number, DeviceReading[][]>();
    for (const { at, devices } of [...rows, ...this.notWritten(workerId, from)]) {
      // a minute that begins now belongs to the last span
      const place = Math.min(Math.floor((at - from) / span), Math.ceil((to - from) / span) - 1);
      const begin = from + place * span;
      const reports = spans.get(begin);
      if (reports === undefined) spans.set(begin, [devices]);
      else reports.push(devices);
    }
    return [...spans].map(([at, reports]) => ({ at: Math.round(at), devices: meanOf(reports) }));
  }

  /** Minutes that only memory has, the present one included. */
  private notWritten(workerId: string, from: number): DeviceSpan[] {
    const minute = this.open.get(workerId);
    return [
      ...this.over.filter((one) => one.workerId === workerId && one.at >= from),
      ...(minute === undefined || minute.at < from
        ? []
        : [{ at: minute.at, devices: meanOf(minute.reports) }]),
    ];
  }

  private end(workerId: string): void {
    const minute = this.open.get(workerId);
    this.open.delete(workerId);
    if (minute !== undefined) this.over.push({ workerId, at: minute.at, devices: meanOf(minute.reports) });
  }

  private async write(): Promise<void> {
    while (this.over.length > 0) {
      const rows = this.over.slice(0, rowsPerWrite);
      await this.log.write('workers', async (manager) => {
        await manager.upsert(DeviceMinute, rows as never, ['workerId', 'at']);
      });
      const written = new Set(rows);
      this.over = this.over.filter((row) => !written.has(row));
    }
  }
}

type Quantity = Exclude<keyof DeviceReading, 'id'>;

/** Means by device of what was reported, in the order of the newest report. */
function meanOf(reports: readonly (readonly DeviceReading[])[]): DeviceReading[] {
  const byId = new Map<string, DeviceReading[]>();
  for (const report of reports)
    for (const reading of report) {
      const known = byId.get(reading.id);
      if (known === undefined) byId.set(reading.id, [reading]);
      else known.push(reading);
    }
  return [...byId].map(([id, of]) => {
    const mean = (name: Quantity): number | null => {
      const known = of.flatMap((reading) => reading[name] ?? []);
      return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
    };
    return {
      id,
      utilisation: mean('utilisation'),
      freeMemoryMb: mean('freeMemoryMb'),
      powerWatts: mean('powerWatts'),
      temperatureCelsius: mean('temperatureCelsius'),
    };
  });
}
