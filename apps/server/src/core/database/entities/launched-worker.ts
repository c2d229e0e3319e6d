import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, nullableBigint, nullableText } from '../columns.js';

/** States of a worker that a launcher has started, with what they mean. */
export const launchStates = {
  starting: 'is being handed to the cluster or host',
  pending: 'waits in the cluster',
  running: 'runs, and has not connected yet',
  online: 'has connected',
  draining: 'is idle, or was drained, and gets no new jobs',
  stopping: 'was told to stop, or is withdrawn',
  ended: 'is over',
} as const;
export type LaunchState = keyof typeof launchStates;

/** A worker that a launcher starts; stored before it is started, so that none is forgotten. */
@Entity('launched_worker')
@Index('launched_worker_by_state', ['state', 'createdAt'])
export class LaunchedWorker {
  /** also the name of the worker */
  @PrimaryColumn('text')
  name!: string;

  @Column('text')
  launcher!: string;

  /** whose jobs it was started for; empty: none, it is one of the minimum */
  @Column('text')
  project!: string;

  @Column('text')
  state: LaunchState = 'starting';

  /** why it waits, stops or ended */
  @Column('text')
  reason = '';

  @Column(nullableText)
  handle: string | null = null;

  @Column('text')
  keyId = '';

  @Column(bigint)
  createdAt!: number;

  /** when its state last changed */
  @Column(bigint)
  changedAt!: number;

  @Column(nullableBigint)
  connectedAt: number | null = null;

  @Column(nullableBigint)
  endedAt: number | null = null;
}
