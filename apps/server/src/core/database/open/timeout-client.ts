/**
 * @file A PostgreSQL connection that is closed when a query times out. The driver only abandons the query and returns
 * the connection to the pool, where the next user would wait for a query that may never end.
 */
import pg from 'pg';

type Query = (...given: unknown[]) => unknown;

/** The class of connections for a pool. */
export class TimeoutClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as Query;
    const stream = (): { destroy(): void } =>
      (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;
    this.query = ((...given: unknown[]) => {
      const answer = query(...given);
      if (answer instanceof Promise)
        answer.catch((error: Error) => {
          if (error.message === 'Query read timeout') stream().destroy();
        });
      return answer;
    }) as never;
  }
}
