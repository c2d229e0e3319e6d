import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Page, pageQuery, type PageQuery } from '../graphql/page.js';
import { requireDone } from '../graphql/refusal.js';
import { Access } from './access.decorator.js';
import type { ApiKey } from './api-key.entity.js';
import { KeyDesk } from './key-desk.js';
import { KeyService } from './key.service.js';
import { type CreateKeyBody, createKeyBody } from './key.types.js';

/** A key as REST shows it: without its hash. */
type ShownKey = Omit<ApiKey, 'hash'>;

@ApiTags('keys')
@ApiBearerAuth()
@Controller('api/v1/keys')
@Access('admin')
export class KeyController {
  constructor(
    private readonly desk: KeyDesk,
    private readonly service: KeyService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'All keys, newest first, revoked ones too.' })
  async list(@Query({ schema: pageQuery }) { first, after }: PageQuery): Promise<Page<ShownKey>> {
    const page = await this.service.list(first, after);
    return { ...page, items: page.items.map(shown) };
  }

  @Post()
  @ApiOperation({ summary: 'Makes a key; its secret is shown this once.' })
  async create(
    @Body({ schema: createKeyBody }) body: CreateKeyBody,
  ): Promise<{ key: ShownKey; secret: string }> {
    const { key, secret } = requireDone(await this.desk.create(body));
    return { key: shown(key), secret };
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Ends a key at once and for good, and closes its sockets.' })
  async revoke(@Param('id') id: string): Promise<ShownKey> {
    return shown(requireDone(await this.desk.revoke(id)));
  }

  @Post(':id/rotate')
  @HttpCode(201)
  @ApiOperation({ summary: 'Replaces a key by a new one of the same name, role and projects.' })
  async rotate(@Param('id') id: string): Promise<{ key: ShownKey; secret: string }> {
    const { key, secret } = requireDone(await this.desk.rotate(id));
    return { key: shown(key), secret };
  }
}

function shown({ hash: _, ...key }: ApiKey): ShownKey {
  return key;
}
