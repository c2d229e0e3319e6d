import { Global, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditController } from './audit.controller.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { AuditResolver } from './audit.resolver.js';
import { AuditService } from './audit.service.js';

/** Who did what. */
@Global()
@Module({
  controllers: [AuditController],
  providers: [AuditService, AuditResolver, { provide: APP_INTERCEPTOR, useClass: AuditInterceptor }],
  exports: [AuditService],
})
export class AuditModule {}
