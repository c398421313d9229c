import { type ClickHouse, ClickHouseError } from '../../../clickhouse/port.js'
import type { Sql } from '../../../postgres/driver/client.js'

/** The fault of a call: it is not executed, or it is executed and its answer is lost. */
export type Mishap = 'refused' | 'answer lost' | 'none'

/** The real connection, except that some statements fail before, or after they were carried out. */
export function failingSql(sql: Sql, mishap: () => Mishap): Sql {
  const guarded = async <T>(run: () => PromiseLike<T>): Promise<T> => {
    const kind = mishap()
    if (kind === 'refused') throw new Error('Postgres: connection refused')
    const result = await run()
    if (kind === 'answer lost') throw new Error('Postgres: connection closed')
    return result
  }
  return new Proxy(sql, {
    apply(target, _this, args: Parameters<Sql>) {
      const made: unknown = (target as (...args: unknown[]) => unknown)(...args)
      if (!(made instanceof Promise)) return made
      // Awaiting sends a statement. A fragment is part of another one and is never awaited.
      const then = made.then.bind(made) as Promise<unknown>['then']
      const run = (): Promise<unknown> => guarded(() => new Promise((done, failed) => then(done, failed)))
      const value: typeof then = (done, failed) => run().then(done, failed)
      Reflect.defineProperty(made, 'then', { value })
      return made
    },
    get: (target, name) =>
      name === 'begin'
        ? (work: Parameters<Sql['begin']>[1]) => guarded(() => target.begin(work as never))
        : Reflect.get(target, name),
  })
}

/** The real engine, except that some inserts fail before, or after they were carried out. */
export function failingClickHouse(clickhouse: ClickHouse, mishap: () => Mishap): ClickHouse {
  return wrapped(clickhouse, {
    async insertEvents(block, signal) {
      const kind = mishap()
      if (kind === 'refused') throw new ClickHouseError('unavailable', 'connection refused')
      await clickhouse.insertEvents(block, signal)
      if (kind === 'answer lost') throw new ClickHouseError('unavailable', 'connection reset')
    },
  })
}

/** The real engine with some methods replaced. */
export function wrapped(clickhouse: ClickHouse, methods: Partial<ClickHouse>): ClickHouse {
  return new Proxy(clickhouse, {
    get(target, name) {
      const own = Reflect.get(methods, name)
      if (own !== undefined) return own
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
