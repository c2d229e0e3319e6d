import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from './open-api-decorators.js';
import { toIsoTime, toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { type PageAnswer, toOrder, toPageAnswer } from '../../core/database/page.js';
import { Access } from '../access/access.decorator.js';
import { ApiKey } from '../../core/database/entities/api-key.js';
import { KeyService } from '../../core/access/key.service.js';
import { createKeyBody, keysQuery } from '../../core/access/key-requests.js';
import { parseInput } from '../../core/input/parse-input.js';
import { openApiQuery } from './open-api-decorators.js';
import { openApiBody } from './open-api-body.js';
import { openApiResponse } from './open-api-response.js';
import { dtoShape, objectOf, pageShape, shapeOf } from './response-schema.js';

/** A key as REST shows it: without its hash. */
type ShownKey = ReturnType<typeof shown>;

const keyResponse = dtoShape(ApiKey, { also: { lineage: shapeOf(z.string()) } });
const createdAnswer = objectOf({ key: keyResponse, secret: shapeOf(z.string()) });

@ApiTags('keys')
@ApiBearerAuth()
@Controller('api/v1/keys')
@Access('admin')
export class KeyController {
  constructor(private readonly service: KeyService) {}

  @Get()
  @openApiQuery(keysQuery)
  @ApiOperation({ summary: 'All keys, including revoked ones; newest first unless ordered otherwise.' })
  @openApiResponse(pageShape(keyResponse))
  async list(@Query() given: unknown): Promise<PageAnswer<ShownKey>> {
    const { orderBy, direction, ...page } = parseInput(keysQuery, given, 'list keys');
    return toPageAnswer(await this.service.list(page, toOrder(orderBy, direction)), shown);
  }

  @Post()
  @ApiOperation({ summary: 'Makes a key; its secret is shown this once.' })
  @openApiBody(createKeyBody)
  @openApiResponse(createdAnswer, 201, 'The key, with its secret.')
  async create(@Body() body: unknown): Promise<{ key: ShownKey; secret: string }> {
    const { key, secret } = await this.service.createFrom(body);
    return { key: shown(key), secret };
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Ends a key at once and for good, and closes its sockets.' })
  @openApiResponse(keyResponse)
  async revoke(@Param('id') id: string): Promise<ShownKey> {
    return shown(await this.service.revoke(id));
  }

  @Post(':id/rotate')
  @HttpCode(201)
  @ApiOperation({ summary: 'Replaces a key by a new one of the same name, role and projects.' })
  @openApiResponse(createdAnswer, 201, 'The new key, with its secret.')
  async rotate(@Param('id') id: string): Promise<{ key: ShownKey; secret: string }> {
    const { key, secret } = await this.service.rotate(id);
    return { key: shown(key), secret };
  }
}

function shown({ hash: _, createdAt, lastUsedAt, revokedAt, ...key }: ApiKey) {
  return {
    ...key,
    createdAt: toIsoTime(createdAt),
    lastUsedAt: toIsoTimeOrNull(lastUsedAt),
    revokedAt: toIsoTimeOrNull(revokedAt),
  };
}
