import { Type } from '@sinclair/typebox'
import { Ajv, type ValidateFunction } from 'ajv'
import { KEY_PATTERN } from '../domain/slug.js'
import type { Manifest } from './port.js'

/** The manifest's path in the repository. */
export const manifestPath = (experiment: string): string => `.svc/experiments/${experiment}.json`

/** Longer manifests are refused. */
const LONGEST = 20_000_000

const text = Type.String()
const key = Type.String({ pattern: KEY_PATTERN, maxLength: 200 })
const closed = { additionalProperties: false }
const region = Type.Object(
  {
    before: text,
    written: text,
    variants: Type.Record(key, text, closed),
    plain: text,
    around: Type.Tuple([text, text]),
  },
  closed,
)
const file = Type.Union([
  Type.Object({ action: Type.Literal('modify'), regions: Type.Array(region) }, closed),
  Type.Object({ action: Type.Literal('create'), content: text }, closed),
  Type.Object({ action: Type.Literal('delete'), content: text }, closed),
])
const schema = Type.Object(
  {
    form: Type.Literal(1),
    experiment: key,
    helper: Type.Union([text, Type.Null()]),
    files: Type.Record(text, file),
  },
  closed,
)

/** Compiled on first use, because that takes as long as loading twenty modules. */
let validateManifest: ValidateFunction<Manifest> | undefined

/** The text of a manifest. Sorts the paths, so that the same experiment gives the same bytes. */
export function writeManifest(manifest: Manifest): string {
  const files = Object.entries(manifest.files).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  // Some tools end lines at U+2028 and U+2029, which JSON leaves as they are.
  const json = JSON.stringify({ ...manifest, files: Object.fromEntries(files) }, null, 2)
  return `${json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`
}

/**
 * Parses a manifest, which people may have changed. Accepts only the exact schema, and only paths inside the
 * repository.
 */
export function readManifest(
  source: string,
  experiment: string,
): { ok: true; manifest: Manifest } | { ok: false; message: string } {
  const refuse = (message: string): { ok: false; message: string } => ({ ok: false, message })
  if (source.length > LONGEST) return refuse('the manifest is too long')
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch {
    return refuse('the manifest is no JSON')
  }
  if (typeof value === 'object' && value !== null && 'form' in value && value.form !== 1)
    return refuse('the manifest has a form that is not known here')
  validateManifest ??= new Ajv({ allErrors: false }).compile<Manifest>(schema)
  const isManifest = validateManifest
  if (!isManifest(value)) {
    const [error] = isManifest.errors ?? []
    return refuse(
      `the manifest is not as it was written: ${error?.instancePath || '/'} ${error?.message ?? ''}`,
    )
  }
  if (value.experiment !== experiment)
    return refuse(`the manifest is of another experiment, ${value.experiment}`)
  const odd = [...Object.keys(value.files), ...(value.helper === null ? [] : [value.helper])].find(
    (path) => !isInside(path),
  )
  return odd === undefined
    ? { ok: true, manifest: value }
    : refuse(`the manifest names a path outside of the repository: ${odd.slice(0, 200)}`)
}

/** Accepts plain relative paths. The path policy decides what may be written. */
const isInside = (path: string): boolean =>
  path !== '' &&
  !path.includes('\\') &&
  !path.includes('\0') &&
  path
    .split('/')
    .every(
      (part) =>
        part !== '' && part !== '.' && part !== '..' && part !== '__proto__' && !/^\.git$/i.test(part),
    )
