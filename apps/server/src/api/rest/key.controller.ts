import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { toIsoTime, toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { type PageAnswer, toOrder, toPageAnswer } from '../../core/database/page.js';
import { Access } from '../access/access.decorator.js';
import { ApiKey } from '../../core/database/entities/api-key.js';
import { KeyService } from '../../core/access/key.service.js';
import { createKeyBody, keysQuery } from '../../core/access/key-requests.js';
import { parseInput } from '../../core/input/parse-input.js';
import { dtoSchema, pageSchema } from './open-api/response-schema.js';
import { Describe, Tag } from './open-api/open-api.js';

/** A key without its hash. */
type KeyDto = ReturnType<typeof toDto>;

const keyResponse = dtoSchema(ApiKey, { also: { lineage: z.string() } });
const createdAnswer = z.object({ key: keyResponse, secret: z.string() });

@Tag('keys')
@Controller('api/v1/keys')
@Access('admin')
export class KeyController {
  constructor(private readonly service: KeyService) {}

  @Get()
  @Describe({
    summary: 'All keys, including revoked ones; newest first unless ordered otherwise.',
    query: keysQuery,
    response: pageSchema(keyResponse),
  })
  async list(@Query() given: unknown): Promise<PageAnswer<KeyDto>> {
    const { orderBy, direction, ...page } = parseInput(keysQuery, given, 'list keys');
    return toPageAnswer(await this.service.list(page, toOrder(orderBy, direction)), toDto);
  }

  @Post()
  @Describe({
    summary: 'Creates a key; its secret is shown only once.',
    body: createKeyBody,
    responses: { 201: [createdAnswer, 'The key, with its secret.'] },
  })
  async create(@Body() body: unknown): Promise<{ key: KeyDto; secret: string }> {
    const { key, secret } = await this.service.createFrom(body);
    return { key: toDto(key), secret };
  }

  @Delete(':id')
  @Describe({
    summary: 'Revokes a key immediately and permanently, and closes its sockets.',
    response: keyResponse,
  })
  async revoke(@Param('id') id: string): Promise<KeyDto> {
    return toDto(await this.service.revoke(id));
  }

  @Post(':id/rotate')
  @HttpCode(201)
  @Describe({
    summary: 'Replaces a key by a new one of the same name, role and projects.',
    responses: { 201: [createdAnswer, 'The new key, with its secret.'] },
  })
  async rotate(@Param('id') id: string): Promise<{ key: KeyDto; secret: string }> {
    const { key, secret } = await this.service.rotate(id);
    return { key: toDto(key), secret };
  }
}

function toDto({ hash: _, createdAt, lastUsedAt, revokedAt, ...key }: ApiKey) {
  return {
    ...key,
    createdAt: toIsoTime(createdAt),
    lastUsedAt: toIsoTimeOrNull(lastUsedAt),
    revokedAt: toIsoTimeOrNull(revokedAt),
  };
}
