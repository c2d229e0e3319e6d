import { ID, Int } from '@nestjs/graphql';
import { ArtifactKindEnum } from '../enums.js';
import { DateTimeScalar, SafeIntScalar } from '../scalars.js';
import { Artifact } from '../../../core/database/entities/artifact.js';
import { describeType, stepField } from './describe-type.js';

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
    kind: [() => ArtifactKindEnum, { description: 'What it holds.' }],
    path: [
      () => String,
      {
        description: 'Path inside the run, such as checkpoints/step-000010/model.safetensors.',
      },
    ],
    step: stepField('Step it belongs to; null: none.'),
    bytes: [() => SafeIntScalar, { description: 'Size in bytes.' }],
    sha256: [() => String, { description: 'Of its bytes, in hexadecimal.' }],
    createdAt: [() => DateTimeScalar, { description: 'When it was stored.' }],
  },
);
