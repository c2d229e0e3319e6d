import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { InputCheck } from './input-check.js';

@Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: InputCheck }] })
export class HttpModule {}
