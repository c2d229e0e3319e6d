import type { Role } from '@espalier/protocol';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, json, nullableBigint } from '../columns.js';

@Entity('api_key')
export class ApiKey {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  role!: Role;

  /** `*` stands for all */
  @Column(json)
  projects!: string[];

  /** first characters of the secret */
  @Column('text')
  prefix!: string;

  /** sha256 of the secret, hexadecimal; the secret has 256 random bits, so a slow hash would add nothing */
  @Column('text')
  @Index('api_key_by_hash', { unique: true })
  hash!: string;

  @Column('int', { nullable: true })
  maxRunning!: number | null;

  /** id of the first of the keys that replaced each other, the last being this one */
  @Column('text')
  lineage!: string;

  @Column(bigint)
  createdAt!: number;

  @Column(nullableBigint)
  lastUsedAt!: number | null;

  @Column(nullableBigint)
  revokedAt!: number | null;
}
