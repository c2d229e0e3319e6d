import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { bigint, json } from '../database/columns.js';
import { DateTimeScalar, JsonScalar } from '../graphql/scalars.js';

@Entity('audit_entry')
@ObjectType({ description: 'Who did what, or tried to. Only ever appended.' })
@Index('audit_by_time', ['time'])
export class AuditEntry {
  @PrimaryGeneratedColumn('increment')
  @Field(() => Int, { description: 'In the order they happened.' })
  id!: number;

  @Column(bigint)
  @Field(() => DateTimeScalar, { description: 'When.' })
  time!: number;

  @Column('text')
  @Field(() => ID, { description: 'Id of the key; empty where none was given.' })
  keyId!: string;

  @Column('text')
  @Field(() => String, { description: 'Name of the key.' })
  keyName!: string;

  @Column('text')
  @Field(() => String, { description: 'What was asked for, such as run.create.' })
  action!: string;

  @Column('text')
  @Field(() => String, { description: 'What it was asked of, mostly an id.' })
  subject!: string;

  @Column('text')
  @Field(() => String, { description: '`done`, or the code of the refusal.' })
  outcome!: string;

  @Column(json)
  @Field(() => JsonScalar, { description: 'Further facts.' })
  detail!: Record<string, unknown>;

  /** sha256 over this entry and the hash of the entry before, hexadecimal */
  @Column('text')
  @Field(() => String, { description: 'sha256 over this entry and the hash of the one before.' })
  hash!: string;
}
