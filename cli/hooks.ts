import type { Result } from './client/api.js'
import { usageError } from './command-error.js'
import type { CommonOptions, Context } from './context.js'
import { forEachId } from './for-each-id.js'
import { printAnswer } from './render/page.js'
import { renderRecord } from './render/table.js'
import { formatTime, type TerminalStyle } from './render/terminal-style.js'

type Hook = Result<'getHook'>

interface HookOptions extends CommonOptions {
  readonly url?: string
  readonly kinds?: readonly string[]
  readonly format?: Hook['format']
  readonly secretStdin?: true
}

export async function addHook(
  context: Context,
  url: string,
  options: HookOptions & { readonly kinds: readonly string[] },
): Promise<void> {
  const body = { url, kinds: options.kinds, ...(await formatAndSecret(context, options)) }
  const answer = await (await context.api()).call('createHook', { body })
  await printAnswer(context, options, answer, (style, hook) =>
    describeHook(style, hook, [['secret', hook.secret]]),
  )
  context.terminal.err('Save the secret now: it cannot be shown again.\n')
}

export async function changeHook(context: Context, id: string, options: HookOptions): Promise<void> {
  const { url, kinds } = options
  const body = {
    ...(url === undefined ? {} : { url }),
    ...(kinds === undefined ? {} : { kinds }),
    ...(await formatAndSecret(context, options)),
  }
  if (Object.keys(body).length === 0)
    throw usageError('name at least one change: --url, --kinds, --format or --secret-stdin')
  const answer = await (await context.api()).call('updateHook', { path: { id }, body })
  await printAnswer(context, options, answer, describeHook)
}

export async function deleteHooks(
  context: Context,
  ids: readonly string[],
  options: CommonOptions,
): Promise<void> {
  const api = await context.api()
  await forEachId(
    context,
    ids,
    options,
    async (id) => ({
      ...(await api.call('deleteHook', { path: { id } })),
      text: JSON.stringify({ id }),
      body: { id },
    }),
    (_, { id }) => `Deleted ${id}.`,
  )
}

export async function retryDeliveries(
  context: Context,
  id: string,
  deliveryIds: readonly string[],
  options: CommonOptions,
): Promise<void> {
  const api = await context.api()
  const run = (deliveryId: string) => api.call('retryHookDelivery', { path: { id, deliveryId } })
  await forEachId(context, deliveryIds, options, run, (_, { kind }) => `${kind} is sent again.`)
}

async function formatAndSecret(context: Context, { format, secretStdin }: HookOptions) {
  return {
    ...(format === undefined ? {} : { format }),
    ...(secretStdin ? { secret: (await context.readStdin()).trim() } : {}),
  }
}

function describeHook(
  style: TerminalStyle,
  { id, url, kinds, format, updatedAt }: Hook,
  more: readonly (readonly [string, string])[] = [],
): string {
  return renderRecord(style, [
    ['address', url],
    ['kinds', kinds.join(', ')],
    ['format', format],
    ['changed', formatTime(style, updatedAt)],
    ...more,
    ['id', id],
  ])
}
