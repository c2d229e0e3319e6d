# One image for server and worker: `serve` by default, `worker` as command.
FROM node:20.20-bookworm-slim AS build
WORKDIR /espalier
COPY . .
RUN npm ci --no-audit --no-fund \
  && npm run build \
  && npm prune --omit=dev --no-audit --no-fund \
  # ONNX Runtime comes with its libraries for every platform; a third of all is for others than this one
  && find node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 -type d \
    -not -path "*/linux/$(node -p process.arch)" -exec rm -r {} +
# with CUDA=1 the image can train on NVIDIA GPUs, and is 1.5 GB larger
ARG CUDA=0
ARG PIP_INDEX_URL=https://pypi.org/simple
RUN mkdir /cache \
  && if [ "$CUDA" = 1 ]; then ESPALIER_CACHE=/cache node apps/cli/dist/main.js setup cuda; fi

FROM node:20.20-bookworm-slim
# pg_dump and pg_restore for `espalier backup`; tini collects processes that a worker leaves behind
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends postgresql-client tini \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node --mode=0700 /data
# not below /data, where a volume would hide it
COPY --from=build --chown=node:node /cache /cache
COPY --from=build /espalier /espalier
WORKDIR /espalier
ENV NODE_ENV=production \
  ESPALIER__SERVER__HOST=0.0.0.0 \
  ESPALIER__SERVER__DATA=/data \
  ESPALIER__WORKER__DATA=/data \
  ESPALIER_CACHE=/cache \
  HF_HOME=/data/huggingface
USER node
VOLUME /data
EXPOSE 4500
ENTRYPOINT ["tini", "--", "node", "apps/cli/dist/main.js"]
CMD ["serve"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "tools/docker-health.mjs"]
