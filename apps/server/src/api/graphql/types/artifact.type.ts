import { Float, ID, Int } from '@nestjs/graphql';
import { DateTimeScalar } from '../scalars.js';
import { Artifact } from '../../../core/database/entities/artifact.js';
import { describeType } from './describe-type.js';

describeType(
  Artifact,
  {
    description:
      'A stored file of a run: part of a checkpoint, trajectories, logs. Bytes are fetched by REST.',
  },
  {
    id: [() => ID, { description: 'Sorts by age.' }],
    runId: [() => ID, { description: 'The run it belongs to.' }],
    attempt: [() => Int, { description: 'Attempt that made it; of one path the newest counts.' }],
    kind: [() => String, { description: '`checkpoint`, `trajectories`, `spec`, `log` or `evaluation`.' }],
    path: [
      () => String,
      {
        description: 'Path inside the run, such as checkpoints/step-000010/model.safetensors.',
      },
    ],
    step: [() => Int, { description: 'Step it belongs to; −1: none.' }],
    bytes: [() => Float, { description: 'Size.' }],
    sha256: [() => String, { description: 'Of its bytes, in hexadecimal.' }],
    createdAt: [() => DateTimeScalar, { description: 'When it was stored.' }],
  },
);
