import type { EventLog, LogRecord } from '../../log/port.js'
import { failSpan, startSpan, type TraceSpan } from '../../runtime/tracing.js'
import type { AppendOutcome } from './append.js'

/**
 * Follows an append in the trace of its request. Records have no room for a trace context, so the span has
 * the partitions and where each of them ended afterwards: the block that covers the offset before has the
 * record.
 */
export function traceAppend(
  log: Pick<EventLog, 'id' | 'end'>,
  parent: TraceSpan | undefined,
  records: readonly LogRecord[],
  onOutcome: (outcome: AppendOutcome) => void,
): (outcome: AppendOutcome) => void {
  if (parent === undefined) return onOutcome
  const span = startSpan('append to the log', { kind: 'producer', parent })
  const partitions = [...new Set(records.map(({ partition }) => partition))]
  span?.setAttributes({ 'svc.log.id': log.id, 'svc.log.partitions': partitions })
  return (outcome) => {
    onOutcome(outcome)
    if (span === undefined) return
    const endedAt = new Date()
    if (outcome.kind !== 'durable') failSpan(span, `append ${outcome.kind}`)
    const ends = span.isRecording()
      ? Promise.all(partitions.map((partition) => log.end(partition)))
      : undefined
    void Promise.resolve(ends)
      .then((offsets) => offsets && span.setAttribute('svc.log.ends', offsets))
      // The append is known. Only the offsets are missing.
      .catch(() => {})
      .finally(() => span.end(endedAt))
  }
}
