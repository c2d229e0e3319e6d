import { type Role, roles } from '@espalier/protocol';
import { Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, json, nullableBigint } from '../database/columns.js';
import { DateTimeScalar } from '../graphql/scalars.js';

const roleNames = Object.fromEntries(Object.keys(roles).map((role) => [role, role])) as { [R in Role]: R };
registerEnumType(roleNames, {
  name: 'Role',
  description: 'What a key may do.',
  valuesMap: Object.fromEntries(Object.entries(roles).map(([role, description]) => [role, { description }])),
});
export { roleNames as RoleEnum };

@Entity('api_key')
@ObjectType({
  description:
    'A key to this server. The secret itself is shown once, when the key is made, and stored only as a hash.',
})
export class ApiKey {
  @PrimaryColumn('text')
  @Field(() => ID, { description: 'Sorts by age.' })
  id!: string;

  @Column('text')
  @Field(() => String, { description: 'Who or what uses it.' })
  name!: string;

  @Column('text')
  @Field(() => roleNames, { description: 'What it may do.' })
  role!: Role;

  /** `*` stands for all */
  @Column(json)
  @Field(() => [String], { description: 'Projects it may see; `*` stands for all.' })
  projects!: string[];

  /** first characters of the secret */
  @Column('text')
  @Field(() => String, { description: 'Beginning of the secret, to recognise it by.' })
  prefix!: string;

  /** sha256 of the secret, hexadecimal; the secret has 256 random bits, so a slow hash would add nothing */
  @Column('text')
  @Index('api_key_by_hash', { unique: true })
  hash!: string;

  @Column('int', { nullable: true })
  @Field(() => Int, { nullable: true, description: 'Jobs of this key that may run at once; null: no limit.' })
  maxRunning!: number | null;

  /** id of the first of the keys that replaced each other, the last being this one */
  @Column('text')
  lineage!: string;

  @Column(bigint)
  @Field(() => DateTimeScalar, { description: 'When it was made.' })
  createdAt!: number;

  @Column(nullableBigint)
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was last used, to the minute.' })
  lastUsedAt!: number | null;

  @Column(nullableBigint)
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was revoked.' })
  revokedAt!: number | null;
}
