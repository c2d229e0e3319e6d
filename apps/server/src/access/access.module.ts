import { Global, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { KeyController } from './key.controller.js';
import { KeyResolver } from './key.resolver.js';
import { KeyService } from './key.service.js';
import { RateLimits } from './rate-limits.js';
import { RequestAdmission } from './request-admission.js';
import { SocketAccess } from './socket-access.js';
import { UnauthenticatedSockets } from './unauthenticated-sockets.js';

/** Keys, and the guard in front of everything. */
@Global()
@Module({
  imports: [DiscoveryModule],
  controllers: [KeyController],
  providers: [
    KeyService,
    KeyResolver,
    RateLimits,
    RequestAdmission,
    SocketAccess,
    UnauthenticatedSockets,
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [KeyService, RateLimits, RequestAdmission, SocketAccess],
})
export class AccessModule {}
