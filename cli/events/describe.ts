import { usageError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { escapeControls } from '../output.js'
import { printAnswer } from '../render/page.js'

interface Options extends CommonOptions {
  readonly text?: string
  readonly hide?: boolean
  readonly show?: boolean
}

/** Describes, hides or shows an event name, or one of its properties. */
export async function describeEvent(
  context: Context,
  eventName: string,
  property: string | undefined,
  options: Options,
): Promise<void> {
  const { text, hide = false, show = false } = options
  if (hide && show) throw usageError('--hide and --show exclude each other')
  if (text === undefined && !hide && !show) throw usageError('name a change: --text, --hide or --show')
  const changes = {
    ...(text === undefined ? {} : { description: text === '' ? null : text }),
    ...(hide || show ? { hidden: hide } : {}),
  }
  const api = await context.api()
  const path = { eventName }
  if (property === undefined) {
    const answer = await api.call('updateEventName', { path, body: changes })
    return printAnswer(context, options, answer, (_, { description, hiddenBy }) =>
      describe(eventName, description, hiddenBy === null ? '' : ` (hidden by ${hiddenBy})`),
    )
  }
  const answer = await api.call('updateEventProperty', { path, body: { property, ...changes } })
  await printAnswer(context, options, answer, (_, { description, hidden }) =>
    describe(`${eventName} ${property}`, description, hidden ? ' (hidden)' : ''),
  )
}

function describe(name: string, description: string | null, state: string): string {
  return `${escapeControls(`${name}${state}: ${description ?? 'no description'}`)}\n`
}
