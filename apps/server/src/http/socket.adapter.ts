import type { INestApplicationContext } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { ServerOptions } from '../config/server-options.js';
import { ErrorReport } from '../observability/error-report.js';
import { createHostCheck } from './host-check.js';

type IoOptions = NonNullable<Parameters<IoAdapter['createIOServer']>[1]>;

const maxMessageBytes = 8 * 1024 * 1024;

/** socket.io with our limits: Host and Origin are checked before anything else, messages are bounded. */
export class SocketAdapter extends IoAdapter {
  constructor(
    private readonly context: INestApplicationContext,
    private readonly options: ServerOptions,
  ) {
    super(context);
  }

  override createIOServer(port: number, given?: IoOptions): ReturnType<IoAdapter['createIOServer']> {
    const check = createHostCheck(this.options);
    const limits: Partial<IoOptions> = {
      serveClient: false,
      connectTimeout: 10_000,
      maxHttpBufferSize: maxMessageBytes,
      cors: { origin: this.options.http.origins },
      allowRequest: (request, answer) => {
        try {
          check(request, true);
          answer(null, true);
        } catch (error) {
          answer(this.context.get(ErrorReport).tell(error).message, false);
        }
      },
    };
    return super.createIOServer(port, { ...given, ...limits } as IoOptions);
  }
}
