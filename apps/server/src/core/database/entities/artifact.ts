import type { ArtifactKind } from '@espalier/protocol';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint } from '../columns.js';

@Entity('artifact')
@Index('artifact_by_path', ['runId', 'path', 'attempt'], { unique: true })
export class Artifact {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  runId!: string;

  @Column('int')
  attempt!: number;

  @Column('text')
  kind!: ArtifactKind;

  @Column('text')
  path!: string;

  /** key in the artifact store */
  @Column('text')
  key!: string;

  @Column('int')
  step!: number;

  @Column(bigint)
  bytes!: number;

  @Column('text')
  sha256!: string;

  @Column(bigint)
  createdAt!: number;
}
