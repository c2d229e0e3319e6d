import { Global, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { KeyController } from './key.controller.js';
import { KeyResolver } from './key.resolver.js';
import { KeyService } from './key.service.js';
import { SocketAccess } from './socket-access.js';

/** Keys, and the guard in front of everything. */
@Global()
@Module({
  imports: [DiscoveryModule],
  controllers: [KeyController],
  providers: [KeyService, KeyResolver, SocketAccess, { provide: APP_GUARD, useClass: AccessGuard }],
  exports: [KeyService, SocketAccess],
})
export class AccessModule {}
