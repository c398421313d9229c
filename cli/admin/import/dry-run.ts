import { formatCount } from '../../../domain/text/format.js'
import { eventDetails } from '../../../ingest/decode/decode.js'
import type { Context } from '../../context.js'
import type { RefusedLine } from '../../events/progress-file.js'
import { openSource, splitLines } from '../../events/source.js'
import { escapeControls, printJson, printTable } from '../../output.js'
import type { ImportFormat } from './formats.js'
import { importedLine } from './line.js'

const MAX_SHOWN = 50

interface NameSummary {
  events: number
  first: string | null
  last: string | null
}

interface RefusedInFile extends RefusedLine {
  readonly file: string
}

/** Reads whole files as an import would, by the rules of the ingestion API, and changes nothing. */
export async function tryImport(
  context: Context,
  files: readonly string[],
  { format, json }: { readonly format: ImportFormat; readonly json?: true },
): Promise<void> {
  const { terminal } = context
  const names = new Map<string, NameSummary>()
  const refused: RefusedInFile[] = []
  let accepted = 0
  let withoutTime = 0
  for (const file of files)
    for await (const { number: line, text, problem } of splitLines(openSource(file).open())) {
      if (problem === undefined && text.trim() === '') continue
      const record = problem === undefined ? importedLine(format, line, text) : { line, field: '', problem }
      if ('problem' in record) {
        refused.push({ file, line, field: record.field, message: record.problem })
        continue
      }
      const event = JSON.parse(record.json) as { readonly event: string }
      const [detail] = eventDetails(event, '')
      if (detail !== undefined) {
        refused.push({ file, line, field: detail.path.slice(1), message: detail.message })
        continue
      }
      accepted++
      if (record.timestamp === undefined) withoutTime++
      count(names, event.event, record.timestamp)
    }
  const rows = [...names]
    .map(([event, summary]) => ({ event, ...summary }))
    .sort((a, b) => b.events - a.events)
  if (json) return printJson(terminal, { files, accepted, refused, withoutTime, names: rows })
  for (const { file, line, field, message } of refused.slice(0, MAX_SHOWN))
    terminal.out(
      `${escapeControls(file)}:${line}: ${field === '' ? 'the event' : escapeControls(field)} ${escapeControls(message)}\n`,
    )
  if (refused.length > MAX_SHOWN)
    terminal.out(`and ${formatCount(refused.length - MAX_SHOWN)} more; --json names them all\n`)
  printTable(
    terminal,
    ['event', 'events', 'first', 'last'],
    rows.slice(0, MAX_SHOWN).map(({ event, events, first, last }) => [event, events, first, last]),
  )
  terminal.out(
    `${formatCount(accepted)} would be imported, ${formatCount(refused.length)} would be refused. Nothing was sent.\n`,
  )
  if (withoutTime > 0)
    terminal.out(`${formatCount(withoutTime)} have no time: they would happen at the time of the import.\n`)
}

function count(names: Map<string, NameSummary>, event: string, timestamp: number | undefined): void {
  const summary = names.get(event) ?? { events: 0, first: null, last: null }
  names.set(event, summary)
  summary.events++
  if (timestamp === undefined) return
  const at = new Date(timestamp).toISOString()
  if (summary.first === null || at < summary.first) summary.first = at
  if (summary.last === null || at > summary.last) summary.last = at
}
