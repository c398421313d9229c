import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Document, isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml'
import { errorReason } from '../../runtime/errors.js'
import { refusedError, usageError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { parseSource, readText } from '../files/document.js'
import { printJsonText } from '../output.js'
import { type Definition, jsonEquals, omitDefaults, omitStepDefaults, toDefinition } from './definition.js'

/** Lines are not folded, so that a diff of the file shows only real changes. */
const FORMAT = { lineWidth: 0 } as const

/** Writes the stored funnels into a file. Unchanged parts keep their comments and order. */
export async function pullFunnels(context: Context, file: string, options: CommonOptions): Promise<void> {
  const { text, body } = await (await context.api()).call('listFunnels', {})
  if (options.json) {
    printJsonText(context.terminal, text)
    return
  }
  const stored = body.data.map(toDefinition)
  if (file === '-') {
    context.terminal.out(freshFile(stored, false))
    return
  }
  const asJson = file.endsWith('.json')
  const before = existsSync(file) ? await readText(context, file) : ''
  const after = before.trim() === '' ? freshFile(stored, asJson) : updatedFile(file, before, stored, asJson)
  if (after !== before) replaceFile(file, after)
  context.terminal.err(
    after === before
      ? `${file} is up to date: ${stored.length} funnels.\n`
      : `Wrote ${stored.length} ${stored.length === 1 ? 'funnel' : 'funnels'} to ${file}.\n`,
  )
}

function freshFile(stored: readonly Definition[], asJson: boolean): string {
  const value = { funnels: stored.map(omitDefaults) }
  return asJson ? `${JSON.stringify(value, null, 2)}\n` : new Document(value).toString(FORMAT)
}

/** The text of a file with the stored funnels. Throws CommandError if the file is not a funnels file. */
export function updatedFile(
  name: string,
  before: string,
  stored: readonly Definition[],
  asJson: boolean,
): string {
  const { document, value } = parseSource(name, before)
  const list = document.get('funnels', true)
  if (!isMap(document.contents) || (list !== undefined && !isSeq(list)))
    throw usageError(`${name} holds something else than funnels: it is not written over`)
  if (asJson) {
    const names = isSeq(list) ? list.items.map((_, at) => document.getIn(['funnels', at, 'name'])) : []
    const place = ({ name: each }: Definition): number =>
      (names.indexOf(each) + stored.length) % stored.length
    const ordered = [...stored].sort((a, b) => place(a) - place(b))
    const funnels = { ...(value as object), funnels: ordered.map(omitDefaults) }
    return jsonEquals(funnels, value) ? before : `${JSON.stringify(funnels, null, 2)}\n`
  }
  if (!isSeq(list)) {
    document.set('funnels', document.createNode(stored.map(omitDefaults)))
    return document.toString(FORMAT)
  }
  const changed = updateList(document, list, stored)
  return changed ? document.toString(FORMAT) : before
}

/** Updates a list of funnels in place and returns whether it changed. */
function updateList(document: Document, list: YAMLSeq, stored: readonly Definition[]): boolean {
  let changed = false
  const missing = new Map(stored.map((definition) => [definition.name, definition]))
  list.items = list.items.filter((item) => {
    const definition = isMap(item) ? missing.get(String(item.get('name'))) : undefined
    if (!isMap(item) || definition === undefined) {
      changed = true
      return false
    }
    missing.delete(definition.name)
    changed = updateFunnel(document, item, definition) || changed
    return true
  })
  for (const definition of missing.values()) {
    list.add(document.createNode(omitDefaults(definition)))
    changed = true
  }
  return changed
}

function updateFunnel(document: Document, item: YAMLMap, definition: Definition): boolean {
  const written = toDefinition(item.toJS(document) as Parameters<typeof toDefinition>[0])
  if (jsonEquals(written, definition)) return false
  const { description, windowSeconds, query } = omitDefaults(definition)
  setField(item, 'description', description, written.description === definition.description)
  setField(item, 'windowSeconds', windowSeconds, written.windowSeconds === definition.windowSeconds)
  const queryNode = query === undefined ? undefined : document.createNode(query)
  setField(item, 'query', queryNode, jsonEquals(written.query, definition.query))
  const steps = item.get('steps', true)
  if (!isSeq(steps)) {
    item.set('steps', document.createNode(definition.steps.map(omitStepDefaults)))
    return true
  }
  steps.items.splice(definition.steps.length)
  for (const [at, step] of definition.steps.entries()) {
    const node = steps.items[at]
    const wanted = omitStepDefaults(step)
    if (jsonEquals(written.steps[at], step)) continue
    if (!isMap(node)) {
      steps.items[at] = document.createNode(wanted)
      continue
    }
    for (const field of ['name', 'eventName', 'filters'] as const) {
      const same = jsonEquals(written.steps[at]?.[field], step[field])
      const value = wanted[field]
      setField(node, field, typeof value === 'object' ? document.createNode(value) : value, same)
    }
  }
  return true
}

/** Sets a field that differs, and removes one that has its default. */
function setField(map: YAMLMap, name: string, value: unknown, same: boolean): void {
  if (same) return
  if (value === undefined) map.delete(name)
  else map.set(name, value)
}

/** Replaces the file atomically, so that a full disk leaves the old one. */
function replaceFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}.new`
  try {
    writeFileSync(draft, text)
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    const code = errorReason(error)
    throw refusedError(`${file} cannot be written (${code})`)
  }
}
