/**
 * @file Expected refusals: what a client should be ready for, as members of the result unions of mutations. Everything
 * else is thrown and arrives as an error with `extensions.code`.
 */
import { Field, InterfaceType, ObjectType } from '@nestjs/graphql';
import type { JobState } from '@espalier/protocol';
import { JobStateEnum } from './enums.js';
import { JsonScalar } from './scalars.js';

@InterfaceType({ description: 'An expected refusal: nothing was changed.' })
export abstract class Refusal {
  @Field(() => String, { description: 'Stable code.' })
  code!: string;

  @Field(() => String, { description: 'The operation, the finding, and the remedy.' })
  message!: string;
}

@ObjectType({ implements: () => Refusal, description: 'The spec cannot be run as it is.' })
export class InvalidSpec extends Refusal {
  @Field(() => [String], { description: 'Every problem found, a sentence each.' })
  problems!: string[];
}

@ObjectType({ implements: () => Refusal, description: 'Not possible in the state it is in.' })
export class WrongState extends Refusal {
  @Field(() => JobStateEnum, { description: 'The state it is in.' })
  state!: JobState;
}

@ObjectType({ implements: () => Refusal, description: 'Not possible for another expected reason.' })
export class NotPossible extends Refusal {
  @Field(() => JsonScalar, { nullable: true, description: 'Facts about the reason.' })
  details!: Record<string, unknown> | null;
}
