import type { Result } from './client/api.js'
import { refusedError, usageError } from './command-error.js'
import type { CommonOptions, Context } from './context.js'
import { escapeControls, printJsonText } from './output.js'
import { printAnswer } from './render/page.js'
import { renderRecord } from './render/table.js'
import { formatTime, type TerminalStyle } from './render/terminal-style.js'
import { pollUntilDone } from './wait.js'

interface EraseOptions extends CommonOptions {
  readonly yes?: boolean
  readonly wait?: boolean
  readonly timeout?: number
}

/** On a terminal it asks first: nothing brings a person back. */
export async function erasePerson(context: Context, person: string, options: EraseOptions): Promise<void> {
  const { json, yes, wait, timeout } = options
  const { terminal } = context
  const body = parsePerson(person)
  if (!yes && terminal.canPrompt && terminal.isInteractive) {
    const { confirm } = await import('./prompt.js')
    if (!(await confirm(terminal, `Erase ${escapeControls(person)} for good?`)))
      throw refusedError('nothing was erased')
  }
  const api = await context.api()
  const accepted = await api.call('createErasure', { body })
  const { id } = accepted.body
  if (!wait) {
    if (json) return printJsonText(terminal, accepted.text)
    return terminal.out(`The erasure ${id} has been requested. Look again with: svc privacy list\n`)
  }
  const answer = await pollUntilDone(context, {
    what: 'erasing the person',
    timeoutSeconds: timeout,
    retryCommand: 'svc privacy list',
    poll: (signal) => api.call('getErasure', { path: { id } }, signal),
    isDone: ({ body }) => body.finishedAt !== null,
    describe: ({ body }) => body.status,
  })
  await printAnswer(context, options, answer, describeErasure)
  if (answer.body.status === 'failed')
    throw refusedError(
      `the erasure failed: ${answer.body.error ?? 'no reason was recorded'}`,
      'ERASURE_FAILED',
    )
}

export async function printPersonEvents(context: Context, person: string): Promise<void> {
  parsePerson(person)
  const { printLines } = await import('./print-lines.js')
  await printLines(context, 'exportPerson', { path: { personId: person } })
}

function parsePerson(person: string): { userId: string } | { anonymousId: string } {
  const [, kind, id = ''] = /^(user|anonymous):(.+)$/s.exec(person) ?? []
  if (kind === 'user') return { userId: id }
  if (kind === 'anonymous') return { anonymousId: id }
  throw usageError(`a person is user:ID or anonymous:ID, not ${JSON.stringify(person)}`)
}

function describeErasure(style: TerminalStyle, erasure: Result<'getErasure'>): string {
  const { events, exposures, links, deadLetters } = erasure.receipt ?? {}
  return renderRecord(style, [
    ['status', erasure.status],
    ['events', String(events ?? '-')],
    ['exposures', String(exposures ?? '-')],
    ['links', String(links ?? '-')],
    ['dead letters', String(deadLetters ?? '-')],
    ['requested', formatTime(style, erasure.requestedAt)],
    ['id', erasure.id],
  ])
}
