/**
 * @file Pages to explore the API: /docs (Swagger UI, for REST) and /graphiql (for GraphQL). Scripts and styles come from
 * installed packages, so no page loads anything from another host; the key stays in the tab's session storage.
 */
import { AppError } from '@espalier/contracts';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Access } from '../access/access.decorator.js';
import { OpenApiDocument } from './open-api/open-api-document.js';

/** The part of a Fastify reply that the pages use. */
interface Reply {
  type(type: string): Reply;
  header(name: string, value: string): Reply;
  send(body: unknown): unknown;
}

const types = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  png: 'image/png',
  json: 'application/json',
  graphql: 'text/plain',
};
type Extension = keyof typeof types;

const require = createRequire(import.meta.url);
const pages = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'pages');
const inPackage = (name: string, ...path: string[]) =>
  join(dirname(require.resolve(`${name}/package.json`)), ...path);

/** Every file that is served, by address. */
const files: Readonly<Record<string, () => string>> = {
  'graphiql/index.html': () => join(pages, 'graphiql.html'),
  'graphiql/page.js': () => join(pages, 'graphiql.js'),
  'graphiql/page.css': () => join(pages, 'graphiql.css'),
  ...Object.fromEntries(
    ['start-a-run.graphql', 'follow-a-run.graphql', 'follow-a-run.json', 'list-runs.graphql'].map((name) => [
      `graphiql/${name}`,
      () => join(pages, 'tabs', name),
    ]),
  ),
  'graphiql/react.js': () => inPackage('react', 'umd/react.production.min.js'),
  'graphiql/react-dom.js': () => inPackage('react-dom', 'umd/react-dom.production.min.js'),
  'graphiql/graphiql.js': () => inPackage('graphiql', 'graphiql.min.js'),
  'graphiql/graphiql.css': () => inPackage('graphiql', 'graphiql.min.css'),
  'docs/index.html': () => join(pages, 'docs.html'),
  'docs/page.js': () => join(pages, 'docs.js'),
  'docs/swagger-ui.css': () => join(swaggerFolder(), 'swagger-ui.css'),
  'docs/swagger-ui-bundle.js': () => join(swaggerFolder(), 'swagger-ui-bundle.js'),
  'docs/favicon-32x32.png': () => join(swaggerFolder(), 'favicon-32x32.png'),
};

@Controller()
@Access('public')
export class ExplorerController {
  constructor(private readonly openApi: OpenApiDocument) {}

  @Get('docs')
  docs(@Res() reply: Reply): void {
    sendFile(reply, 'docs/index.html');
  }

  @Get('docs/json')
  async json(@Res() reply: Reply): Promise<void> {
    reply.type(types.json).send(await this.openApi.get());
  }

  @Get('docs/:file')
  docsFile(@Param('file') file: string, @Res() reply: Reply): void {
    sendFile(reply, `docs/${file}`);
  }

  @Get('graphiql')
  graphiql(@Res() reply: Reply): void {
    sendFile(reply, 'graphiql/index.html');
  }

  /** The client for subscriptions is a few modules that import each other. */
  @Get('graphiql/graphql-ws/:file')
  client(@Param('file') file: string, @Res() reply: Reply): void {
    if (!/^(client|common-[\w-]+)\.js$/.test(file)) throw notFound(file);
    sendFile(reply, file, join(dirname(require.resolve('graphql-ws')), file));
  }

  @Get('graphiql/:file')
  graphiqlFile(@Param('file') file: string, @Res() reply: Reply): void {
    sendFile(reply, `graphiql/${file}`);
  }
}

function sendFile(
  reply: Reply,
  name: string,
  path: string | undefined = Object.hasOwn(files, name) ? files[name]?.() : undefined,
): void {
  if (path === undefined) throw notFound(name);
  const type = types[name.slice(name.lastIndexOf('.') + 1) as Extension];
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch {
    throw notFound(name);
  }
  reply.type(`${type}; charset=utf-8`).header('cache-control', 'no-cache').send(content);
}

/** Nest's OpenAPI package contains the page. */
function swaggerFolder(): string {
  const inside = createRequire(require.resolve('@nestjs/swagger'));
  return dirname(inside.resolve('swagger-ui-dist/package.json'));
}

function notFound(name: string): AppError {
  return new AppError('server.not_found', `read ${name}: there is no such file`);
}
