/**
 * The ClickHouse front as a program: `program.js FOLDER PORT`, started by server.ts over IPC. Says its
 * address once it serves, and leaves when the process that started it is gone.
 */
import { startClickHouseHttp } from './http.js'

const [folder, port] = process.argv.slice(2)
if (folder === undefined) throw new Error('which folder?')
process.once('disconnect', () => process.exit())
const { url } = await startClickHouseHttp({ folder, port: Number(port) })
process.send?.(url)
