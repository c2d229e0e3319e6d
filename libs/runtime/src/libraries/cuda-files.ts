/**
 * @file The CUDA provider of the ONNX Runtime that onnxruntime-node brings, and the CUDA 13.0 libraries that it opens.
 *
 * The provider links cudart, cublas, cublasLt and curand (readelf -d). cuDNN it opens by its name when a kernel asks for it:
 * every reduction but sums and means over leading or trailing axes does. Without cuDNN such a graph is refused. cuFFT and
 * NVRTC serve operators that no graph of Espalier has. CUDA 13.0 is what the provider was built for; later 13.x would need
 * a newer driver for nothing.
 */
import type { PinnedLibrary, PinnedWheel } from './pinned-library.js';

/** What ties the provider to other programs. */
export const cudaNeeds = {
  /** git commit that onnxruntime-node's library and the provider were built from */
  runtimeCommit: 'f2c39fe2f',
  runtimePackage: 'onnxruntime-node@1.30.0',
  /** as cuDriverGetVersion counts: 1000 × major + 10 × minor */
  driverVersion: 13_000,
  driverPackage: '580',
  /** CUDA 13 has no code for older devices */
  computeCapability: 7.5,
} as const;

const licenses = ['licenses/License.txt'];

const provider: PinnedWheel = {
  package: 'onnxruntime-gpu',
  version: '1.30.0',
  bytes: 246_685_715,
  unpackedBytes: 272_403_697,
  // the builds for other Pythons have other bits
  files: {
    'onnxruntime_gpu-1.30.0-cp312-cp312-manylinux_2_28_x86_64.whl':
      '6acc0f4b3d5ac5f2984432faa59dd8fcce6775f8b43a7140afa0f322c7a703b1',
  },
  members: [
    'onnxruntime/capi/libonnxruntime_providers_shared.so',
    'onnxruntime/capi/libonnxruntime_providers_cuda.so',
  ],
  licenses: ['onnxruntime/LICENSE', 'onnxruntime/ThirdPartyNotices.txt'],
};

const cudaRuntime: PinnedWheel = {
  package: 'nvidia-cuda-runtime',
  version: '13.0.96',
  bytes: 2_243_632,
  unpackedBytes: 763_550,
  files: {
    'nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl':
      '7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548',
  },
  members: ['nvidia/cu13/lib/libcudart.so.13'],
  licenses,
  isOftenInstalled: true,
};

const cublas: PinnedWheel = {
  package: 'nvidia-cublas',
  version: '13.1.0.3',
  bytes: 423_133_236,
  unpackedBytes: 595_832_838,
  files: {
    'nvidia_cublas-13.1.0.3-py3-none-manylinux_2_27_x86_64.whl':
      'ee8722c1f0145ab246bccb9e452153b5e0515fd094c3678df50b2a0888b8b171',
  },
  members: ['nvidia/cu13/lib/libcublasLt.so.13', 'nvidia/cu13/lib/libcublas.so.13'],
  licenses,
  isOftenInstalled: true,
};

const curand: PinnedWheel = {
  package: 'nvidia-curand',
  version: '10.4.0.35',
  bytes: 59_544_258,
  unpackedBytes: 132_757_590,
  files: {
    'nvidia_curand-10.4.0.35-py3-none-manylinux_2_27_x86_64.whl':
      '1aee33a5da6e1db083fe2b90082def8915f30f3248d5896bcec36a579d941bfc',
  },
  members: ['nvidia/cu13/lib/libcurand.so.10'],
  licenses,
  isOftenInstalled: true,
};

const cudnn: PinnedWheel = {
  package: 'nvidia-cudnn-cu13',
  version: '9.19.0.56',
  bytes: 366_066_321,
  unpackedBytes: 493_428_398,
  files: {
    'nvidia_cudnn_cu13-9.19.0.56-py3-none-manylinux_2_27_x86_64.whl':
      'd20e1734305e9d68889a96e3f35094d733ff1f83932ebe462753973e53a572bf',
  },
  members: [
    'nvidia/cudnn/lib/libcudnn.so.9',
    'nvidia/cudnn/lib/libcudnn_adv.so.9',
    'nvidia/cudnn/lib/libcudnn_cnn.so.9',
    'nvidia/cudnn/lib/libcudnn_engines_precompiled.so.9',
    'nvidia/cudnn/lib/libcudnn_engines_runtime_compiled.so.9',
    'nvidia/cudnn/lib/libcudnn_graph.so.9',
    'nvidia/cudnn/lib/libcudnn_heuristic.so.9',
    'nvidia/cudnn/lib/libcudnn_ops.so.9',
  ],
  licenses,
  isOftenInstalled: true,
};

export const cudaFiles: PinnedLibrary = {
  name: 'cuda',
  title: 'the CUDA provider of ONNX Runtime',
  version: '1.30.0',
  license: 'MIT, NVIDIA’s licences for CUDA and cuDNN',
  platform: 'linux-x64',
  loadOrder: [
    'libcudart.so.13',
    'libcublasLt.so.13',
    'libcublas.so.13',
    'libcurand.so.10',
    'libcudnn.so.9',
    'libonnxruntime_providers_shared.so',
    'libonnxruntime_providers_cuda.so',
  ],
  wheels: [provider, cudaRuntime, cublas, curand, cudnn],
};
