/** What the pages use of an answer of Fastify. */
export interface Reply {
  type(type: string): Reply;
  header(name: string, value: string): Reply;
  send(body: unknown): unknown;
}
