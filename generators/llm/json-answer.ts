/** Reads JSON out of what a model says: behind thoughts, sentences and fences, and cut off. */

const MAX_STARTS = 200

/** Removes the thoughts of a reasoning model, which are no answer. */
function withoutThoughts(said: string): string {
  const end = said.lastIndexOf('</think>')
  return end >= 0 ? said.slice(end + '</think>'.length) : said.replace(/<think>[\s\S]*$/, '')
}

/** Index after the JSON object that begins at `from`, -1 if it is cut off. */
function endOfObject(text: string, from: number): number {
  let depth = 0
  let isText = false
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (isText) {
      if (char === '\\') at++
      else if (char === '"') isText = false
    } else if (char === '"') isText = true
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1
  }
  return -1
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The first whole JSON object in an answer that is wanted. */
export function objectIn<T>(said: string, isWanted: (value: unknown) => value is T): T | undefined {
  const text = withoutThoughts(said)
  let from = text.indexOf('{')
  for (let tries = 0; from >= 0 && tries < MAX_STARTS; tries++) {
    const end = endOfObject(text, from)
    const value = end < 0 ? undefined : parsed(text.slice(from, end))
    if (isWanted(value)) return value
    from = text.indexOf('{', value === undefined ? from + 1 : end)
  }
  return undefined
}

/** The whole objects of a list in an answer that may be cut off. `undefined` if the list did not begin. */
export function itemsIn(said: string, list: string): unknown[] | undefined {
  const text = withoutThoughts(said)
  const begin = new RegExp(`"${list}"\\s*:\\s*\\[`).exec(text)
  if (begin === null) return undefined
  const items: unknown[] = []
  for (let from = begin.index + begin[0].length; ; ) {
    const gap = /^[\s,]*/.exec(text.slice(from))?.[0].length ?? 0
    const end = text[from + gap] === '{' ? endOfObject(text, from + gap) : -1
    if (end < 0) return items
    const value = parsed(text.slice(from + gap, end))
    if (value !== undefined) items.push(value)
    from = end
  }
}
