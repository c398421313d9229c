import type { EventLog, LogRecord } from '../../../log/port.js'

export interface Faults {
  /**
   * Called before every append; its rejection becomes the append's error, and nothing reaches the real log.
   */
  before: ((records: readonly LogRecord[]) => Promise<void>) | undefined
  /** Called after a durable append; its rejection becomes the append's error. */
  after: (() => Promise<void>) | undefined
  ping: (() => Promise<void>) | undefined
}

/** A real log whose appends can fail, hang or be late. It remembers appended records. */
export function faultyLog(log: EventLog): { log: EventLog; faults: Faults; appended: LogRecord[] } {
  const faults: Faults = { before: undefined, after: undefined, ping: undefined }
  const appended: LogRecord[] = []
  return {
    faults,
    appended,
    log: {
      id: log.id,
      partitions: log.partitions,
      identityPartitions: log.identityPartitions,
      async append(records) {
        await faults.before?.(records)
        await log.append(records)
        // The gateway reuses the memory of its records.
        for (const record of records) appended.push({ ...record, payload: new Uint8Array(record.payload) })
        await faults.after?.()
      },
      consume: (options, handler, signal) => log.consume(options, handler, signal),
      end: (partition) => log.end(partition),
      appendedEvents: () => log.appendedEvents(),
      trim: (partition, offset) => log.trim(partition, offset),
      ping: () => faults.ping?.() ?? log.ping(),
      close: () => log.close(),
    },
  }
}
