/** @file For tests: an endpoint of the chat completions API whose answers a test decides. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatRequest {
  readonly body: {
    readonly model: string;
    readonly seed: number;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
  readonly authorization: string | undefined;
}

type Answer = (request: ChatRequest, count: number, response: ServerResponse) => string | undefined;

export interface ChatServer {
  readonly baseUrl: string;
  readonly requests: ChatRequest[];
  /** what to answer; undefined: the test has written the response itself */
  answer: Answer;
  close(): void;
}

/** What the API wraps an answer in. */
export const completion = (content: string, finish = 'stop'): string =>
  JSON.stringify({
    choices: [{ message: { role: 'assistant', content }, finish_reason: finish }],
    usage: { prompt_tokens: 100, completion_tokens: 10 },
  });

export async function startChatServer(answer: Answer = () => '{"score": 7}'): Promise<ChatServer> {
  const requests: ChatRequest[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as ChatRequest['body'];
      const asked = { body, authorization: request.headers.authorization };
      requests.push(asked);
      const content = chat.answer(asked, requests.length, response);
      if (content === undefined) return;
      response.writeHead(200, { 'content-type': 'application/json' }).end(completion(content));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const chat: ChatServer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    answer,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return chat;
}
