import {
  armOf,
  armsOf,
  byHand,
  type Dialect,
  type Outcome,
  outermost,
  type Replacement,
  shippedTexts,
  type Unit,
  UnsupportedEditError,
  type VariantTask,
} from '../dialect.js'
import { indentAt, lineEndOf, type Splice, splice, startsItsLine } from '../text.js'
import { decide } from './decide.js'
import { attributeMark, MARK, MARK_VARIANT, markOf } from './markup.js'
import { helperTags, removeNewTags, tagsAt, withoutHelperTags } from './script-tag.js'
import { policyProblem } from './security-policy.js'
import { ancestors, canonical, type Document, descend, type Element, isElement, parseHtml } from './tree.js'
import { markOn, type PageUnit, unitOf, unitsNear, valueRange } from './units.js'

/** Pages that are served as they are. */
export const html: Dialect = {
  check: (text) => {
    parseHtml(text, false)
  },
  write,
  unitsNear: (text, _, range) => unitsNear(text, parseHtml(text, true), range),
  withoutHelper: (text) => withoutHelperTags(text, parseHtml(text, true)),
}

function write(task: VariantTask): Outcome {
  const { text, experiment, alternatives, helper } = task
  if (helper === undefined || !('scriptSrc' in helper))
    throw new UnsupportedEditError(
      null,
      'a page that is served as it is loads the helper from an address: the helper has to be in a folder that the site serves',
    )
  if (isAngular(task.path, text))
    throw new UnsupportedEditError(
      null,
      'it is a template of Angular, which Angular compiles: edits with `variant` can be in the class of its component, as the value of a property that the template shows',
    )
  const page = parseHtml(text, true)
  for (const node of descend(page, true))
    if (isElement(node) && markOn(node) === experiment.key)
      throw new UnsupportedEditError(null, `the experiment ${experiment.key} is in this file already`)
  const units = outermost(
    joined(alternatives.map((alternative) => unitOf(text, page, alternative, experiment.key))),
  )
  const drafts = units.map((unit) => draftOf(task, unit))
  const inserts = helperTags(text, page, helper)
  if (inserts === null)
    throw new UnsupportedEditError(
      null,
      'the page has no <head> in which the helper could be loaded; only whole pages can have variants',
    )
  const blocked = policyProblem(page, tagsAt(text, page, inserts))
  if (blocked !== undefined) throw new UnsupportedEditError(null, blocked)
  const outcome = { drafts, inserts }
  prove(task, page, outcome)
  return outcome
}

/** Whether a page is the template of a component: by its name, or by bindings in one without a head. */
const isAngular = (path: string, text: string): boolean =>
  /\.component\.html?$/i.test(path) ||
  (!/<(head|html)\b/i.test(text) &&
    /\s(\*ng\w+|\[[\w.-]+\]|\([\w.-]+\)|i18n(-\w+)?)=|^\s*@(if|for|switch) \(/m.test(text))

/**
 * Merges edits of one element's attributes into one unit, from the first attribute to the last: they share
 * its mark.
 */
function joined(units: readonly Unit<PageUnit>[]): Unit<PageUnit>[] {
  const byElement = new Map<Element, Unit<PageUnit>>()
  const rest: Unit<PageUnit>[] = []
  for (const unit of units) {
    const known = byElement.get(unit.what.element)
    if (unit.what.kind === 'element') rest.push(unit)
    else if (known === undefined) byElement.set(unit.what.element, { ...unit })
    else {
      known.start = Math.min(known.start, unit.start)
      known.end = Math.max(known.end, unit.end)
      known.alternatives = [...known.alternatives, ...unit.alternatives]
    }
  }
  return [...rest, ...byElement.values()]
}

function draftOf(task: VariantTask, unit: Unit<PageUnit>): Replacement {
  const written = unit.what.kind === 'element' ? withTemplates(task, unit) : withAttributes(task, unit)
  return { start: unit.start, end: unit.end, written, ...shippedTexts(task.text, task.experiment, unit) }
}

function withTemplates({ text, experiment }: VariantTask, unit: Unit<PageUnit>): string {
  const { element } = unit.what
  // Line breaks go only where white space was already, and where white space does not matter.
  const ownLine = startsItsLine(text, unit.start) && !ancestors(element).some((one) => one.tagName === 'pre')
  const gap = ownLine ? lineEndOf(text) + indentAt(text, unit.start) : ''
  const templates = armsOf(experiment, unit).map(
    (key) =>
      `<template ${MARK}="${experiment.key}" ${MARK_VARIANT}="${key}">${armOf(text, unit, key)}</template>${gap}`,
  )
  const name = 1 + element.tagName.length
  const control = text.slice(unit.start, unit.end)
  return `${templates.join('')}${control.slice(0, name)} ${MARK}="${markOf(experiment)}"${control.slice(name)}`
}

function withAttributes({ text, experiment }: VariantTask, unit: Unit<PageUnit>): string {
  const { element } = unit.what
  const marks = [`${MARK}="${markOf(experiment)}"`]
  for (const [name, place] of Object.entries(element.sourceCodeLocation?.attrs ?? {})) {
    for (const key of armsOf(experiment, unit)) {
      const own = unit.alternatives.filter(
        ({ variant, start, end }) => variant === key && start >= place.startOffset && end <= place.endOffset,
      )
      if (own.length === 0) continue
      const attribute = armOf(
        text,
        { start: place.startOffset, end: place.endOffset, what: null, alternatives: own },
        key,
      )
      const value = valueRange(attribute, 0, attribute.length)
      if (value === null)
        throw new UnsupportedEditError(
          own[0]?.edit ?? null,
          `the attribute ${name} needs a value in every variant`,
        )
      const quote = value.quote === '' ? '"' : value.quote
      marks.push(`${attributeMark(key, name)}=${quote}${attribute.slice(value.start, value.end)}${quote}`)
    }
  }
  return `${text.slice(unit.start, unit.end)} ${marks.join(' ')}`
}

/**
 * Proves that every visitor gets the tree of the page as edited by hand, so nothing around the alternative
 * changes.
 */
function prove(task: VariantTask, page: Document, { drafts, inserts }: Outcome): void {
  const written = splice(task.text, [
    ...inserts,
    ...drafts.map(({ start, end, written }): Splice => ({ start, end, text: written })),
  ])
  for (const { key, isControl } of task.experiment.variants) {
    const wanted = byHand(task, key)
    if (!isControl && wanted === task.text) continue
    const decided = parseHtml(written, false)
    decide(decided, task.experiment.key, key)
    if (inserts.length > 0) removeNewTags(decided, page)
    if (canonical(decided) === canonical(isControl ? page : parseHtml(wanted, false))) continue
    throw new UnsupportedEditError(
      task.alternatives.find(({ variant }) => isControl || variant === key)?.edit ?? null,
      isControl
        ? 'here an alternative, or loading the helper, changes what browsers make of the page around it; a whole element further out would do'
        : `the alternative of ${key} changes what browsers make of the page around it: an element that closes another one, or a tag too few or too many`,
    )
  }
}
