/**
 * Comments of scripts and markup, and before them the texts in quotes, in which they are none. Lengths are
 * limited, because what does not end would be read from each of its beginnings to the end of the file.
 */
const COMMENT =
  /(["'`])(?:\\.|(?!\1)[^\\\n]){0,200}\1|\/\*[\s\S]{0,4000}?\*\/|<!--[\s\S]{0,4000}?-->|^[ \t]*\/\/[^\n]*/gm

/** Code with other texts in place of its comments. */
export const replaceComments = (code: string, by: (comment: string) => string): string =>
  code.replace(COMMENT, (found, quote?: string) => (quote === undefined ? by(found) : found))

/** Code without its comments. Commented-out code imports nothing, and leads nowhere. */
export const withoutComments = (code: string): string => replaceComments(code, () => '')
