import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, nullableBigint, nullableText } from '../database/columns.js';
import { DateTimeScalar } from '../graphql/scalars.js';

@Entity('alert')
@ObjectType({ description: 'Something about a run that a person should know.' })
@Index('alert_by_run', ['runId', 'time'])
@Index('alert_by_project', ['project', 'time'])
export class Alert {
  @PrimaryColumn('text')
  @Field(() => ID, { description: 'Sorts by age.' })
  id!: string;

  @Column('text')
  @Field(() => ID, { description: 'The run it is about.' })
  runId!: string;

  @Column('text')
  project!: string;

  @Column('text')
  @Field(() => String, { description: '`info`, `warning` or `error`.' })
  severity!: 'info' | 'warning' | 'error';

  @Column('text')
  @Field(() => String, { description: 'Stable code.' })
  code!: string;

  @Column('text')
  @Field(() => String, { description: 'What was found and what to do.' })
  message!: string;

  @Column('int')
  @Field(() => Int, { description: 'Step it was found at; −1: none.' })
  step!: number;

  @Column(bigint)
  @Field(() => DateTimeScalar, { description: 'When.' })
  time!: number;

  @Column(nullableBigint)
  @Field(() => DateTimeScalar, { nullable: true, description: 'When somebody acknowledged it.' })
  acknowledgedAt!: number | null;

  @Column(nullableText)
  @Field(() => String, { nullable: true, description: 'Name of the key it was acknowledged with.' })
  acknowledgedBy!: string | null;
}
