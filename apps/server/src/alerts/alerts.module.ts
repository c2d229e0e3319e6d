import { Module } from '@nestjs/common';
import { AlertController } from './alert.controller.js';
import { AlertResolver } from './alert.resolver.js';
import { AlertService } from './alert.service.js';

/** What people should know about runs. */
@Module({ controllers: [AlertController], providers: [AlertService, AlertResolver], exports: [AlertService] })
export class AlertsModule {}
