import type { ArtifactKind } from '@espalier/protocol';
import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint } from '../database/columns.js';
import { DateTimeScalar } from '../graphql/scalars.js';

@Entity('artifact')
@ObjectType({
  description: 'A stored file of a run: part of a checkpoint, trajectories, logs. Bytes are fetched by REST.',
})
@Index('artifact_by_path', ['runId', 'path', 'attempt'], { unique: true })
export class Artifact {
  @PrimaryColumn('text')
  @Field(() => ID, { description: 'Sorts by age.' })
  id!: string;

  @Column('text')
  @Field(() => ID, { description: 'The run it belongs to.' })
  runId!: string;

  @Column('int')
  @Field(() => Int, { description: 'Attempt that made it; of one path the newest counts.' })
  attempt!: number;

  @Column('text')
  @Field(() => String, { description: '`checkpoint`, `trajectories`, `spec`, `log` or `evaluation`.' })
  kind!: ArtifactKind;

  @Column('text')
  @Field(() => String, {
    description: 'Path inside the run, such as checkpoints/step-000010/model.safetensors.',
  })
  path!: string;

  /** key in the artifact store */
  @Column('text')
  key!: string;

  @Column('int')
  @Field(() => Int, { description: 'Step it belongs to; −1: none.' })
  step!: number;

  @Column(bigint)
  @Field(() => Float, { description: 'Size.' })
  bytes!: number;

  @Column('text')
  @Field(() => String, { description: 'Of its bytes, in hexadecimal.' })
  sha256!: string;

  @Column(bigint)
  @Field(() => DateTimeScalar, { description: 'When it was stored.' })
  createdAt!: number;
}
