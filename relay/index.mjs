// Mounted on the site's own server, which holds the server key that no browser may have.
export { fetchHandler } from './fetch-handler.mjs'
export { nodeHandler } from './node-handler.mjs'
