import type postgres from 'postgres'
import { toDatabaseError } from './errors.js'

/**
 * Returned in place of a result that cannot come. Nothing refers to it, so what awaits it is
 * garbage-collected.
 */
const NEVER = new Promise<never>(() => {})

type Work = (tx: postgres.TransactionSql) => unknown

/**
 * Keeps a transaction whose connection is lost from writing to it. The driver would send the rollback over
 * the dead connection, which throws outside of any promise and ends the process. Here nothing more is sent,
 * the work never resumes, and `begin` rejects with the loss.
 */
export function guardTransactions(sql: postgres.Sql): postgres.Sql {
  const begin = sql.begin.bind(sql) as (...args: unknown[]) => Promise<unknown>
  const guarded = (...args: unknown[]): Promise<unknown> => {
    const work = args.at(-1) as Work
    const state = { lost: false }
    const running = begin(...args.slice(0, -1), (tx: postgres.TransactionSql) => carryOut(work, tx, state))
    // The caller gets the failure through `running`; this only notes it.
    running.catch(() => {
      state.lost = true
    })
    return running
  }
  return Object.assign(sql, { begin: guarded as typeof sql.begin })
}

/** Runs the work of a transaction. Once its connection is lost, the driver never sees it end. */
async function carryOut(work: Work, tx: postgres.TransactionSql, state: { lost: boolean }): Promise<unknown> {
  try {
    const made = work(guard(tx, state))
    const result = await (Array.isArray(made) ? Promise.all(made) : made)
    return state.lost ? await NEVER : result
  } catch (error) {
    if (state.lost) return NEVER
    throw error
  }
}

function guard(tx: postgres.TransactionSql, state: { lost: boolean }): postgres.TransactionSql {
  const watched = (made: unknown): unknown => {
    if (made instanceof Promise) watch(made, state)
    return made
  }
  return new Proxy(tx, {
    apply: (target, self, args: unknown[]) => watched(Reflect.apply(target, self, args)),
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (name !== 'unsafe' || typeof value !== 'function') return value
      return (...args: unknown[]) => watched(Reflect.apply(value, target, args))
    },
  })
}

/** A statement of the driver: a promise that calls `handle` to send itself as soon as something awaits it. */
interface Statement extends Promise<unknown> {
  handle(): unknown
}

/** Notes if a statement fails with its connection. After that, further statements are not sent. */
function watch(statement: Promise<unknown>, state: { lost: boolean }): void {
  if (!('handle' in statement)) return
  const send = (statement as Statement).handle.bind(statement)
  const then = statement.then.bind(statement) as Promise<unknown>['then']
  const settled: Promise<unknown>['then'] = (answered, failed) =>
    then(answered, (error: unknown) => {
      if (isGone(error)) state.lost = true
      if (failed == null) throw error
      return failed(error)
    })
  Reflect.defineProperty(statement, 'handle', { value: () => (state.lost ? undefined : send()) })
  Reflect.defineProperty(statement, 'then', { value: settled })
}

function isGone(error: unknown): boolean {
  const failure = toDatabaseError(error)
  return failure?.code === 'lost' || failure?.code === 'unreachable'
}
