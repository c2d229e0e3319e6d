import type { Device } from '@espalier/protocol';
import { Field, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, json } from '../database/columns.js';
import { DateTimeScalar, JsonScalar } from '../graphql/scalars.js';

@Entity('worker')
@ObjectType({ description: 'A machine, or a part of one, that runs jobs.' })
export class Worker {
  @PrimaryColumn('text')
  @Field(() => ID, { description: 'Sorts by the age of its first connection.' })
  id!: string;

  @Column('text')
  @Index('worker_by_name', { unique: true })
  @Field(() => String, { description: 'Unique; chosen by whoever started it.' })
  name!: string;

  @Column('text')
  instance!: string;

  @Column('text')
  @Field(() => String, { description: 'Name of its machine.' })
  host!: string;

  @Column('text')
  @Field(() => String, { description: 'Version of Espalier it runs.' })
  version!: string;

  @Column('text')
  @Field(() => String, { description: 'Version of Node it runs on.' })
  node!: string;

  @Column(json)
  @Field(() => [String], { description: 'Labels that jobs can ask for.' })
  labels!: string[];

  @Column(json)
  @Field(() => JsonScalar, {
    description: 'Its devices as last announced: kind, name, memory, utilisation, power, errors, faults.',
  })
  devices!: Device[];

  @Column('boolean')
  @Field(() => Boolean, { description: 'It is connected now.' })
  online!: boolean;

  @Column('boolean')
  @Field(() => Boolean, { description: 'It gets no new jobs; those it has go on.' })
  draining!: boolean;

  @Column(bigint)
  @Field(() => DateTimeScalar, { description: 'When it connected last.' })
  connectedAt!: number;

  @Column(bigint)
  @Field(() => DateTimeScalar, { description: 'When it was last heard of.' })
  lastSeenAt!: number;

  @Column('text')
  keyId!: string;
}
