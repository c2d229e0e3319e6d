import { Global, Module } from '@nestjs/common';
import { GraphqlDoor } from './graphql-door.js';
import { OperationBudget } from './operation-budget.js';

/** What stands before every GraphQL operation. */
@Global()
@Module({ providers: [GraphqlDoor, OperationBudget], exports: [GraphqlDoor, OperationBudget] })
export class GraphqlDoorModule {}
