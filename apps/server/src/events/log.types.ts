import { Field, Float, Int, ObjectType } from '@nestjs/graphql';
import { pageOf } from '../graphql/page.js';
import { DateTimeScalar } from '../graphql/scalars.js';

/** a line may have 20,000 characters, and is read whole */
const lineCost = 10;

@ObjectType({ description: 'A line that the process of a run printed.' })
export class LogLine {
  @Field(() => Float, { description: 'Its place in the history of the run.' })
  cursor!: number;

  @Field(() => DateTimeScalar, { description: 'When it was printed.' })
  time!: number;

  @Field(() => Int, { description: 'Attempt that printed it.' })
  attempt!: number;

  @Field(() => String, { description: 'The line.', complexity: () => lineCost })
  text!: string;
}

export const LogPage = pageOf(LogLine, 'LogPage');
