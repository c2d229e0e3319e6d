import { type EntityTarget, type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { AlertVerdict } from '../entities/alert-verdict.js';
import { Rater, Rating, RatingItem, RatingSet } from '../entities/rating.js';
import { RunComment } from '../entities/run-comment.js';

const tables: readonly EntityTarget<object>[] = [AlertVerdict, RatingSet, RatingItem, Rater, Rating];
const columns = [
  'keyId',
  'parentId',
  'alertId',
  'trajectoryId',
  'turn',
  'tokenStart',
  'tokenEnd',
  'editedAt',
  'deletedAt',
];

/**
 * Verdicts on alerts, ratings, and places of comments, for databases from before them; in a new one the first migration has
 * created all tables. The columns of comments may be null, so that old comments stay as they are.
 */
export class Verdicts1764200000000 implements MigrationInterface {
  readonly name = 'Verdicts1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const target of tables) await runner.createTable(tableOf(runner, target), true);
    const comments = tableOf(runner, RunComment);
    for (const column of comments.columns.filter(({ name }) => columns.includes(name)))
      if (!(await runner.hasColumn('run_comment', column.name)))
        await runner.addColumn('run_comment', column);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const target of tables) await runner.dropTable(tableOf(runner, target));
    for (const column of columns) await runner.dropColumn('run_comment', column);
  }
}

const tableOf = (runner: QueryRunner, target: EntityTarget<object>): Table =>
  Table.create(runner.connection.getMetadata(target), runner.connection.driver);
