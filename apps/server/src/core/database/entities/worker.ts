import type { Device } from '@espalier/protocol';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, json } from '../columns.js';

@Entity('worker')
export class Worker {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  @Index('worker_by_name', { unique: true })
  name!: string;

  @Column('text')
  instance!: string;

  @Column('text')
  host!: string;

  @Column('text')
  version!: string;

  @Column('text')
  node!: string;

  @Column(json)
  labels!: string[];

  @Column(json)
  devices!: Device[];

  @Column('boolean')
  online!: boolean;

  @Column('boolean')
  draining!: boolean;

  @Column(bigint)
  connectedAt!: number;

  @Column(bigint)
  lastSeenAt!: number;

  @Column('text')
  keyId!: string;
}
