import { type Dialect, UnsupportedEditError } from './dialect.js'
import { dialectOf } from './dialects.js'
import { holdsKey, locate, settled } from './find-region.js'
import { findFixedRegion } from './fixed-arm.js'
import { mentionsHelper } from './helper-name.js'
import type { CleanedUp, CleanUpRequest, Conflict, Region } from './port.js'
import { firstLine, splice } from './text.js'
import { mergeThreeWays } from './three-way.js'
import { inTodaysLayout } from './todays-layout.js'

/**
 * Removes an experiment from a file, whatever else has changed in it. Looks for each region as it was
 * written, then without the white space and punctuation that formatters change. Merges the rest three-way by
 * lines if the written file is known. Leaves conflicts as they are, without markers, and reports them.
 */
export function cleanUp(request: CleanUpRequest): CleanedUp {
  const { file, text, shipped } = request
  if (file.action === 'modify') return modified(request, file.regions)
  if (shipped !== null) return { text, conflicts: [] }
  if (file.action === 'create') {
    if (text === null || isSame(text, file.content)) return { text: null, conflicts: [] }
    return {
      text,
      conflicts: [
        {
          region: firstLine(file.content),
          message:
            'the experiment made this file, and it has been changed since: delete it if nothing needs it',
        },
      ],
    }
  }
  if (text === null || isSame(text, file.content)) return { text: text ?? file.content, conflicts: [] }
  return {
    text,
    conflicts: [
      {
        region: firstLine(file.content),
        message:
          'the experiment deleted this file, and another one stands in its place now: decide which to keep',
      },
    ],
  }
}

/** Whether two texts differ in their line ends alone. */
const isSame = (text: string, other: string): boolean =>
  text === other || text.replaceAll('\r\n', '\n') === other.replaceAll('\r\n', '\n')

function modified(request: CleanUpRequest, regions: readonly Region[]): CleanedUp {
  const { text, path, shipped, keepHelper = false } = request
  if (text === null)
    return {
      text,
      conflicts: regions.map((region) => ({
        region: firstLine(region.written || region.before),
        message: 'the file is gone; look where its code went to',
      })),
    }
  const found = locate(text, regions, request)
  const { parts, missing } = withFixedArms(request, text, found)
  const merged = missing.length > 0 ? mergeThreeWays(request, splice(text, parts), missing, regions) : null
  const conflicts = (merged?.missing ?? missing).map(
    (region): Conflict => ({
      region: firstLine(region.written || region.before),
      message: `it has been changed since it was written; by hand it becomes: ${firstLine(settled(region, shipped)) || 'nothing'}`,
    }),
  )
  const cleaned = merged?.text ?? splice(text, parts)
  const dialect = dialectOf(path)
  return dialect === undefined || keepHelper || !mentionsHelper(cleaned)
    ? { text: cleaned, conflicts }
    : withoutHelper(dialect, cleaned, path, conflicts)
}

/** Adds the regions in whose arms people changed some words, if the result can be parsed. */
function withFixedArms(
  { path, shipped, base, experiment }: CleanUpRequest,
  text: string,
  found: ReturnType<typeof locate>,
): ReturnType<typeof locate> {
  const parts = [...found.parts]
  const missing = found.missing.filter((region) => {
    const fixed = holdsKey(region, experiment)
      ? findFixedRegion(text, region, settled(region, shipped))
      : null
    const isFree = fixed !== null && parts.every((part) => part.end <= fixed.start || part.start >= fixed.end)
    if (isFree)
      parts.push({ ...fixed, text: inTodaysLayout(fixed.text, region, { text, base, start: fixed.start }) })
    return !isFree
  })
  return missing.length === found.missing.length || !isParsed(path, splice(text, parts))
    ? found
    : { parts, missing }
}

function isParsed(path: string, text: string): boolean {
  try {
    dialectOf(path)?.check(text, path)
    return true
  } catch (error) {
    if (error instanceof UnsupportedEditError) return false
    throw error
  }
}

function withoutHelper(dialect: Dialect, text: string, path: string, conflicts: Conflict[]): CleanedUp {
  try {
    return { text: dialect.withoutHelper(text, path), conflicts }
  } catch (error) {
    if (!(error instanceof UnsupportedEditError)) throw error
    return {
      text,
      conflicts: [
        ...conflicts,
        { region: path, message: `whether the helper is still used cannot be seen: ${error.message}` },
      ],
    }
  }
}
