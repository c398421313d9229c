import type { Api } from '../client/api.js'
import { CommandError, refusedError, usageError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { parseSource, readText } from '../files/document.js'
import { escapeControls, printJson } from '../output.js'
import { renderDiff } from '../render/diff.js'
import { type Color, colorize, type TerminalStyle } from '../render/terminal-style.js'
import type { Definition, StoredFunnel } from './definition.js'
import { readFunnels } from './file.js'
import { type FunnelChange, planChanges } from './plan.js'

interface Options extends CommonOptions {
  readonly dryRun?: boolean
  readonly prune?: boolean
  readonly yes?: boolean
}

/**
 * Makes the funnels of the workspace match a file. The file is validated whole and the plan is shown first.
 * After an error, earlier changes stay, and applying again continues.
 */
export async function applyFunnels(context: Context, file: string, options: Options): Promise<void> {
  const { dryRun = false, prune = false, yes = false, json } = options
  const { terminal } = context
  if (prune && !yes && !dryRun && !(terminal.canPrompt && terminal.isInteractive))
    throw usageError('--prune deletes funnels: without a terminal to ask at it needs --yes')
  const source = parseSource(file === '-' ? 'standard input' : file, await readText(context, file))
  const api = await context.api()
  const wanted = await readFunnels(context, source)
  const { body } = await api.call('listFunnels', {})
  const plan = planChanges(body.data, wanted, prune)
  const changes = plan.filter(({ action }) => action !== 'keep')
  const shown = (applied: boolean): void => {
    if (json) printJson(terminal, { dryRun, applied, changes })
  }
  if (!json)
    terminal.out(renderPlan(context.style(), plan, body.data.length > 0 && !prune ? wanted : undefined))
  if (dryRun || changes.length === 0) {
    shown(!dryRun)
    return
  }
  if (prune && !yes && changes.some(({ action }) => action === 'delete')) {
    const { confirm } = await import('../prompt.js')
    if (!(await confirm(terminal, 'Apply this?'))) throw refusedError('nothing was changed')
  }
  const done: FunnelChange[] = []
  for (const change of changes) {
    try {
      await applyChange(api, change, wanted, body.data)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      throw new CommandError(
        error.exitCode,
        `${change.action} ${escapeControls(change.name)}: ${error.message}`,
        error.code,
        [
          ...error.details,
          done.length === 0
            ? 'nothing was changed'
            : `applied before it: ${done.map(({ action, name }) => `${action} ${name}`).join(', ')}`,
          'try: the same again, which goes on from here',
        ],
      )
    }
    done.push(change)
    if (!json) terminal.err(`${DONE[change.action]} ${escapeControls(change.name)}\n`)
  }
  shown(true)
}

const DONE = { create: 'created', update: 'updated', delete: 'deleted', keep: 'kept' } as const

/** Fails if someone else has changed or deleted the funnel since the plan was made. */
async function applyChange(
  api: Api,
  { action, id, name }: FunnelChange,
  wanted: readonly Definition[],
  stored: readonly StoredFunnel[],
): Promise<void> {
  const body = wanted.find((each) => each.name === name)
  const read = stored.find((funnel) => funnel.id === id)
  if (read === undefined) {
    if (body !== undefined) await api.call('createFunnel', { body })
    return
  }
  const path = { funnelId: read.id }
  try {
    const now = await api.call('getFunnel', { path })
    if (now.body.updatedAt !== read.updatedAt)
      throw refusedError('someone else has changed it since it was read', 'PRECONDITION_FAILED')
    const headers = { 'If-Match': now.headers.etag ?? '*' }
    if (action === 'delete') await api.call('deleteFunnel', { path }, undefined, headers)
    else if (body !== undefined) await api.call('updateFunnel', { path, body }, undefined, headers)
  } catch (error) {
    // Someone else deleted it.
    const isGone = error instanceof CommandError && error.code === 'NOT_FOUND'
    if (action !== 'delete' || !isGone) throw error
  }
}

const PAINTS: Readonly<Record<FunnelChange['action'], Color | undefined>> = {
  create: 'green',
  update: 'yellow',
  delete: 'red',
  keep: undefined,
}

/** The plan for people. With `wanted`, it mentions the funnels that are not in the file. */
function renderPlan(
  style: TerminalStyle,
  plan: readonly FunnelChange[],
  wanted: readonly Definition[] | undefined,
): string {
  const changes = plan.filter(({ action }) => action !== 'keep')
  const beyond =
    wanted === undefined
      ? []
      : plan.filter(({ name }) => !wanted.some((definition) => definition.name === name))
  const parts = changes.map(
    ({ action, name, diff }) =>
      `${colorize(style, PAINTS[action], `${action} ${escapeControls(name)}`)}\n${renderDiff(style, diff)}`,
  )
  const count = (action: FunnelChange['action']): number =>
    plan.filter((change) => change.action === action).length
  const kept = count('keep') - beyond.length
  const summary =
    changes.length === 0
      ? `Nothing to do: ${kept === 1 ? '1 funnel is' : `${kept} funnels are`} up to date.`
      : `${count('create')} to create, ${count('update')} to update, ${count('delete')} to delete, ${kept} unchanged.`
  const left =
    beyond.length === 0
      ? ''
      : `\nNot in the file, and deleted only with --prune: ${beyond.map(({ name }) => escapeControls(name)).join(', ')}.`
  return `${[...parts, `${summary}${left}`].join('\n')}\n`
}
