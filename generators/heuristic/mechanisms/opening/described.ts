import type { Page } from '../../markup/tree.js'

const IN_HEAD =
  /<meta\s+name="description"\s+content="([^"]{10,300})"|<meta\s+content="([^"]{10,300})"\s+name="description"/i
const IN_CODE =
  /\bmetadata\b[^={]{0,30}=\s*\{[\s\S]{0,300}?\bdescription:\s*(["'`])((?:(?!\1)[^\n$]){10,300})\1/

/** The first sentence with which a file tells search engines what its page is, as the file has it. */
export function describedIn({ text, dialect }: Pick<Page, 'text' | 'dialect'>): string | null {
  const own = text.replace(/<!--[\s\S]*?-->/g, '')
  const head = IN_HEAD.exec(own)
  const found = head?.[1] ?? head?.[2] ?? (dialect === 'jsx' ? IN_CODE.exec(own)?.[2] : undefined)
  if (found === undefined || /[&{}\\]/.test(found)) return null
  return (
    found
      .trim()
      .split(/(?<=[.!?])\s/)[0]
      ?.replace(/\.$/, '') ?? null
  )
}

/** What a file calls its page in the bar of the window. */
export const titledIn = (text: string): string =>
  /<title>([^<]{3,120})/i.exec(text)?.[1] ??
  /\bmetadata\b[^={]{0,30}=\s*\{[\s\S]{0,300}?\btitle:\s*(["'`])((?:(?!\1)[^\n$]){3,120})\1/.exec(
    text,
  )?.[2] ??
  ''
