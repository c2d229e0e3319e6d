import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintKey, json } from '../columns.js';

/** What a device reported, as means; null: it did not. */
export class DeviceReading {
  id!: string;

  utilisation!: number | null;

  freeMemoryMb!: number | null;

  powerWatts!: number | null;

  temperatureCelsius!: number | null;
}

/** What the devices of a worker did in a span of time. */
export class DeviceSpan {
  /** its begin */
  at!: number;

  devices!: DeviceReading[];
}

/** A minute of a worker. */
@Entity('device_minute')
export class DeviceMinute {
  @PrimaryColumn('text')
  workerId!: string;

  /** its begin */
  @PrimaryColumn(bigintKey)
  at!: number;

  @Column(json)
  devices!: DeviceReading[];
}
