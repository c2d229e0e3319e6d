/**
 * @file The page of the server, as apps/dashboard was built: one document for all its views, and files whose names have
 * the hash of their content. Other addresses stay what they are: an unknown one of the API is an error, never this page.
 */
import { AppError } from '@espalier/contracts';
import { Controller, Get, Headers, NotFoundException, Param, Req, Res } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Access } from '../access/access.decorator.js';

/** The part of a Fastify reply that is used here. */
interface Reply {
  status(code: number): Reply;
  header(name: string, value: string): Reply;
  send(body: unknown): unknown;
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Scripts and styles of files only; pictures of environments come as data. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** For programs. */
const links = {
  name: 'espalier',
  graphql: '/graphql',
  graphiql: '/graphiql',
  rest: '/api/v1',
  docs: '/docs',
  health: ['/health/live', '/health/ready'],
  start: 'espalier run create config/runs/bandit-starpo-s.yaml --watch',
} as const;

/** Addresses that the page has no view of, whatever asks. */
const ofPrograms = /^\/(api|assets|graphql|health|metrics|socket\.io)\b/;

const require = createRequire(import.meta.url);

@Controller()
@Access('public')
export class DashboardController {
  /** The page for browsers, JSON for other clients. */
  @Get()
  async home(@Headers('accept') accept: string | undefined, @Res() reply: Reply): Promise<void> {
    reply.header('vary', 'accept');
    if (accept?.includes('text/html') === true) return sendPage(reply);
    reply.header('content-type', 'application/json; charset=utf-8').header('cache-control', 'no-cache');
    reply.send(links);
  }

  /** The addresses of its views. */
  @Get([
    'runs',
    'runs/*',
    'new',
    'compare',
    'play',
    'ratings',
    'ratings/*',
    'alerts',
    'workers',
    'plugins',
    'keys',
    'audit',
  ])
  view(@Res() reply: Reply): Promise<void> {
    return sendPage(reply);
  }

  /** An address of nothing: a browser gets the page, which says so; a program, and who asks the API, an error. */
  @Get('*')
  unknown(
    @Headers('accept') accept: string | undefined,
    @Req() { url }: { readonly url: string },
    @Res() reply: Reply,
  ): Promise<void> {
    if (accept?.includes('text/html') !== true || ofPrograms.test(url)) throw new NotFoundException();
    return sendPage(reply.status(404));
  }

  @Get('assets/:file')
  async asset(
    @Param('file') file: string,
    @Headers('accept-encoding') encodings: string | undefined,
    @Res() reply: Reply,
  ): Promise<void> {
    const [, extension = ''] = /^[\w-]+-[\w-]{8}\.(js|css|svg)$/.exec(file) ?? [];
    const isPacked = /\bgzip\b/.test(encodings ?? '');
    if (extension === '') throw notFound(file);
    const content = await read(`assets/${file}${isPacked ? '.gz' : ''}`, file);
    reply
      .header('content-type', types[extension] ?? '')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('vary', 'accept-encoding');
    if (isPacked) reply.header('content-encoding', 'gzip');
    reply.send(content);
  }
}

async function sendPage(reply: Reply): Promise<void> {
  const content = await read('index.html', 'the page');
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-cache')
    .header('content-security-policy', policy);
  reply.send(content);
}

/** Reads a file of the page; nothing of it is kept in memory. */
async function read(path: string, name: string): Promise<Buffer> {
  try {
    return await readFile(join(dirname(require.resolve('@espalier/dashboard')), path));
  } catch {
    throw notFound(name);
  }
}

function notFound(name: string): AppError {
  return new AppError(
    'server.not_found',
    `read ${name.slice(0, 100)}: there is no such file; in a clone, \`npm run build\` makes the page`,
  );
}
