/** @file Messages over streamable HTTP: answers are limited in bytes, and a refusal says what the server wants. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export interface HttpTransport {
  readonly transport: StreamableHTTPClientTransport;
  /** why the server cannot be used any more */
  failure(): string | undefined;
}

export function createHttpTransport(
  url: string,
  headers: Readonly<Record<string, string>>,
  maxMessageBytes: number,
): HttpTransport {
  let failure: string | undefined;
  const limited = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> => {
    let size = 0;
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          size += chunk.length;
          if (size <= maxMessageBytes) return controller.enqueue(chunk);
          failure ??= `it sent an answer of more than ${maxMessageBytes} bytes`;
          controller.error(new Error(failure));
        },
      }),
    );
  };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    // an episode does not go on with half of a conversation
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 1,
    },
    fetch: async (target, init) => {
      const response = await fetch(target, init);
      if (response.status === 401 || response.status === 403)
        failure ??=
          response.status === 401 && response.headers.has('www-authenticate')
            ? 'it wants a person to log in (OAuth), which an episode cannot do; name a variable that holds a token under headersFrom'
            : `it refused access (HTTP ${response.status}); name a variable that holds a token under headersFrom`;
      // a subscription stays open for the whole episode; its messages are small, and a server that floods it is cut off too
      if (response.body === null) return response;
      return new Response(limited(response.body), response);
    },
  });
  return { transport, failure: () => failure };
}
