import { parsePage } from './page/parse.js'
import { elementsIn, type PageElement } from './page/tree.js'
import type { ChangedText, PastIdea, Request, SiteFiles, TeamNote } from './port.js'
import { squeezed } from './same-place.js'

type Read = SiteFiles['read']
type Located = Pick<Request, 'inFlight' | 'dismissals' | 'lessons' | 'notes'>

/** Finds earlier ideas in the code of today: the elements that they change, or that their code has gone. */
export async function locatedMemory<T extends Located>(memory: T, read: Read): Promise<T> {
  const locate = locator(read)
  const all = async <I extends Pick<PastIdea, 'finds'> | TeamNote>(ideas: readonly I[]): Promise<I[]> => {
    const located: I[] = []
    for (const one of ideas)
      located.push(one.finds === undefined ? one : { ...one, finds: await locate(one.finds) })
    return located
  }
  return {
    ...memory,
    inFlight: await all(memory.inFlight),
    dismissals: await all(memory.dismissals),
    lessons: await all(memory.lessons),
    notes: await all(memory.notes),
  }
}

/** Locates texts, reading and parsing each file once. */
export function locator(read: Read): (finds: readonly ChangedText[]) => Promise<ChangedText[]> {
  const files = new Map<string, Promise<FileElements | null>>()
  const elementsOf = (path: string): Promise<FileElements | null> => {
    const known =
      files.get(path) ?? read(path).then((text) => (text === null ? null : fileElements(path, text)))
    files.set(path, known)
    return known
  }
  return async (finds) => {
    const located: ChangedText[] = []
    for (const { path, find } of finds) {
      const file = await elementsOf(path)
      located.push(file === null ? { path, find, isGone: true } : locatedIn(file, { path, find }))
    }
    return located
  }
}

interface FileElements {
  text: string
  squeezed: string
  elements: readonly PageElement[]
}

function fileElements(path: string, text: string): FileElements {
  const file = { text, squeezed: squeezed(text) }
  try {
    const root = parsePage(path, text, { asked: false, of: () => undefined })?.root
    return {
      ...file,
      elements: root === undefined ? [] : elementsIn(root).filter(({ tag }) => /^[\w-]/.test(tag)),
    }
  } catch {
    // A file that does not parse has no elements: the texts alone tell.
    return { ...file, elements: [] }
  }
}

/** A larger element is a part of the page, in which two ideas may be of two places. Characters. */
const MAX_ELEMENT = 600

function locatedIn(
  { text, squeezed: all, elements }: FileElements,
  { path, find }: ChangedText,
): ChangedText {
  const start = text.indexOf(find)
  if (start < 0) return all.includes(squeezed(find)) ? { path, find } : { path, find, isGone: true }
  const end = start + find.length
  const around = elements
    .filter((one) => one.start <= start && one.end >= end && one.end - one.start <= MAX_ELEMENT)
    .sort((a, b) => a.end - a.start - (b.end - b.start))[0]
  return around === undefined ? { path, find } : { path, find, element: text.slice(around.start, around.end) }
}
