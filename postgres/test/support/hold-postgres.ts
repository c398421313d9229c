import { startEmbeddedPostgres } from '../../embedded/start.js'

// Run as a separate process: `node hold-postgres.js FOLDER` starts Postgres there, prints `{ url, pid }` and
// holds it until SIGTERM. It ignores Ctrl-C, as an svc that is still draining does.
const [dataDir = ''] = process.argv.slice(2)
process.on('SIGINT', () => {})
const held = setInterval(() => {}, 60_000)
const server = await startEmbeddedPostgres({ dataDir, durable: false })
process.once('SIGTERM', () => {
  clearInterval(held)
  void server.stop()
})
process.stdout.write(`${JSON.stringify({ url: server.url, pid: server.pid })}\n`)
