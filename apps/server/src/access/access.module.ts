import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { KeyService } from './key.service.js';
import { SocketAccess } from './socket-access.js';

/** Keys, and the guard in front of everything. */
@Global()
@Module({
  providers: [KeyService, SocketAccess, { provide: APP_GUARD, useClass: AccessGuard }],
  exports: [KeyService, SocketAccess],
})
export class AccessModule {}
