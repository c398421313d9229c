import { type Dialect, UnsupportedEditError } from './dialect.js'
import { dialectOf } from './dialects.js'
import { locate, settled } from './find-region.js'
import { mentionsHelper } from './helper-name.js'
import type { CleanedUp, CleanUpRequest, Conflict, Region } from './port.js'
import { firstLine, splice } from './text.js'
import { mergeThreeWays } from './three-way.js'

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
    if (text === null || text === file.content) return { text: null, conflicts: [] }
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
  if (text === null || text === file.content) return { text: file.content, conflicts: [] }
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
  const { parts, missing } = locate(text, regions, shipped)
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
