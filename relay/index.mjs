// Exposures come from browsers, which may not have the server key; they go on to ingestion from the site's own server, which has it.
export { fetchHandler } from './fetch-handler.mjs'
export { nodeHandler } from './node-handler.mjs'
