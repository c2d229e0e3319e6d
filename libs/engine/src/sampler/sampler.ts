import { AppError, type SampleRequest, type SampleResult } from '@espalier/contracts';
import type { LlamaConfig } from '@espalier/model';
import type { SessionOptions } from '@espalier/runtime';
import type { ParameterStore } from '../parameter-store.js';

export interface SamplerOptions {
  readonly config: LlamaConfig;
  readonly session: SessionOptions;
  readonly store: ParameterStore;
}

export class Sampler {
  constructor(readonly options: SamplerOptions) {}
  sample(request: SampleRequest, _signal?: AbortSignal): Promise<SampleResult> {
    return Promise.reject(new AppError('engine.invalid_request', `sample "${request.sequence}": not available`));
  }
  release(_sequences: readonly string[]): void {}
  async dispose(): Promise<void> {}
}
