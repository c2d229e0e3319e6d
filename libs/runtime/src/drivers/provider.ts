/**
 * @file Execution providers by name, and what to do when a machine lacks one.
 */
import { AppError } from '@espalier/contracts';

/** Where a session runs: the CPU, any GPU through WebGPU (Vulkan, Metal, D3D12), or an NVIDIA GPU. */
export type Provider = 'cpu' | 'webgpu' | 'cuda';

const REMEDY: Readonly<Record<Provider, string>> = {
  cpu: 'reinstall onnxruntime-node for this platform',
  webgpu: 'it needs a GPU with a Vulkan, Metal or Direct3D 12 driver; install one, or use provider "cpu"',
  cuda: 'it needs an NVIDIA GPU with its driver, and the files that "espalier setup cuda" fetches; "espalier doctor" says what is missing; or use provider "cpu"',
};

/** The runtime's error message without its source location. */
export function runtimeMessage(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const [, text] = /^\S*onnxruntime_src\S* .* was false\. (.*)$/s.exec(message) ?? [];
  return (text ?? message).trim().replaceAll(/\s+/g, ' ');
}

/** The error for a provider that is unavailable on this machine. */
export function unavailable(provider: Provider, finding: string, cause?: unknown): AppError {
  return new AppError(
    'runtime.provider_unavailable',
    `create session on "${provider}": ${finding}; ${REMEDY[provider]}`,
    {
      details: { provider },
      cause,
    },
  );
}
