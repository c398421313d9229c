import type { components } from '../../../../contract/operations.js'
import { parseDiff } from '../plan/diff.js'

type Plan = components['schemas']['Plan']

/** A piece of a page that visitors see: markup to render, a text, or code that only a build can render. */
export type Shown =
  | { readonly kind: 'markup' | 'text' | 'code'; readonly content: string }
  /** The variant leaves the piece out. */
  | { readonly kind: 'nothing' }

/** A place that the experiment changes. Without variants it changes for everybody. */
export interface PreviewUnit {
  readonly path: string
  readonly before: Shown
  readonly everybody: Shown | undefined
  /** By the keys of the variants. */
  readonly variants: Readonly<Record<string, Shown>>
}

/** As svc writes it; people may have changed it. */
interface Manifest {
  readonly files?: Readonly<
    Record<
      string,
      {
        readonly regions?: readonly {
          readonly before?: string
          readonly plain?: string
          readonly variants?: Readonly<Record<string, string>>
        }[]
      }
    >
  >
}

/** The places that the manifest of the plan names; empty if it cannot be read. */
export function previewUnits(plan: Plan | undefined, experiment: string): PreviewUnit[] {
  const file = plan?.files.find(({ path }) => path === `.svc/experiments/${experiment}.json`)
  const files = Object.entries(manifestOf(file?.diff)?.files ?? {})
  return files.flatMap(([path, { regions = [] }]) =>
    regions.map(({ before = '', plain = before, variants = {} }) => ({
      path,
      before: shownOf(path, before),
      everybody: plain === before ? undefined : shownOf(path, plain),
      variants: Object.fromEntries(
        Object.entries(variants).map(([key, content]) => [key, shownOf(path, content)]),
      ),
    })),
  )
}

function manifestOf(diff: string | null | undefined): Manifest | undefined {
  if (diff == null) return undefined
  const lines = parseDiff(diff).filter(({ kind }) => kind === 'new' || kind === 'same')
  try {
    return JSON.parse(lines.map(({ text }) => text).join('\n')) as Manifest
  } catch {
    // Someone has changed it by hand: there is no preview.
    return undefined
  }
}

const MARKUP_FILES = /\.(html?|vue|svelte|jsx|tsx)$/
const EXPRESSION = /[{}]|\s(v-[a-z]|[:@#][a-z]|on:|bind:)/
const COMPONENT = /<[A-Z]/
const QUOTED = /^(['"`])([\s\S]*)\1$/

function shownOf(path: string, content: string): Shown {
  const trimmed = content.trim()
  if (trimmed === '') return { kind: 'nothing' }
  const isMarkupFile = MARKUP_FILES.test(path)
  const isPage = /\.html?$/.test(path)
  if (isMarkupFile && /<[a-z]/i.test(trimmed))
    return isPage || !(EXPRESSION.test(trimmed) || COMPONENT.test(trimmed))
      ? {
          kind: 'markup',
          content: trimmed.replace(/\sclassName=/g, ' class=').replace(/\shtmlFor=/g, ' for='),
        }
      : { kind: 'code', content: trimmed }
  const [, , quoted] = QUOTED.exec(trimmed) ?? []
  if (quoted !== undefined && !quoted.includes('${')) return { kind: 'text', content: unescaped(quoted) }
  return isMarkupFile && !EXPRESSION.test(trimmed)
    ? { kind: 'text', content: trimmed }
    : { kind: 'code', content: trimmed }
}

const unescaped = (quoted: string): string => quoted.replace(/\\(['"`\\])/g, '$1').replace(/\\n/g, '\n')
