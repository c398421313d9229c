/**
 * ClickHouse's own server as a program: `program.js CONFIG`, started by server.ts. The embedded engine's
 * library holds the whole server, but its JavaScript interface does not open the listeners.
 */
import { libchdbPath } from 'chdb/libchdb'
import { DataType, load, open } from 'ffi-rs'

const [config] = process.argv.slice(2)
if (config === undefined) throw new Error('which configuration?')
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))

// A session of the engine that listens, and then sleeps for years.
const statements = `SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP;
  SELECT sleepEachRow(3) FROM numbers(100000000)
  SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 10000000000 FORMAT Null`
const argv = ['clickhouse', `--config-file=${config}`, '--query', statements]
open({ library: 'chdb', path: libchdbPath() })
// In a thread, so that this one hears that the process that started it is gone.
await load({
  library: 'chdb',
  funcName: 'query_stable_v2',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [argv.length, argv],
  runInNewThread: true,
  freeResultMemory: false,
})
process.exit(1)
