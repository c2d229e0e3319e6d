import { Module } from '@nestjs/common';
import { LiveResolver } from './live.resolver.js';
import { RunHubs } from './run-hubs.js';
import { RunRooms } from './run-rooms.js';
import { StreamGateway } from './stream.gateway.js';

/** Following runs live, over socket.io and GraphQL. */
@Module({ providers: [RunHubs, RunRooms, StreamGateway, LiveResolver] })
export class StreamModule {}
