/** @file The address of the server itself: where everything else is. It says nothing of what the server keeps. */
import { readFileSync } from 'node:fs';
import { Controller, Get, Headers, Res } from '@nestjs/common';
import { ApiExcludeController } from './open-api-decorators.js';
import { Access } from '../access/access.decorator.js';
import type { Reply } from './reply.js';

const page = new URL('../../../pages/home.html', import.meta.url);

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

@ApiExcludeController()
@Controller()
@Access('public')
export class HomeController {
  /** A page for browsers, JSON for everybody else. */
  @Get()
  home(@Headers('accept') accept: string | undefined, @Res() reply: Reply): void {
    void reply.header('vary', 'accept').header('cache-control', 'no-cache');
    if (accept?.includes('text/html') === true)
      reply.type('text/html; charset=utf-8').send(readFileSync(page));
    else reply.type('application/json; charset=utf-8').send(links);
  }
}
