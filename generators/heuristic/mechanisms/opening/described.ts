import type { Page } from '../../markup/tree.js'

const IN_HEAD =
  /<meta\s+name="description"\s+content="([^"]{10,300})"|<meta\s+content="([^"]{10,300})"\s+name="description"/i
const IN_CODE =
  /\bmetadata\b[^={]{0,30}=\s*\{[\s\S]{0,300}?\bdescription:\s*(["'`])((?:(?!\1)[^\n$]){10,300})\1/
const TITLE_IN_CODE =
  /\bmetadata\b[^={]{0,30}=\s*\{[\s\S]{0,300}?\b(?:title|default):\s*(["'`])((?:(?!\1)[^\n$]){3,120})\1/
/** What a kit puts around all pages by what is set up, and not by a page. */
const TITLE_IN_SETUP =
  /\bapp\s*:\s*\{[^}]{0,200}?\bhead\s*:\s*\{(?:[^{}]|\{[^{}]*\}){0,600}?\btitle\s*:\s*(["'`])((?:(?!\1)[^\n$]){3,120})\1/

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
  /<title>([^<]{3,120})/i.exec(text)?.[1] ?? TITLE_IN_CODE.exec(text)?.[2] ?? ''

/** What a kit's set-up calls all pages in the bar of the window; `null` in other files. */
export const titledBySetup = (path: string, code: string): string | null =>
  /(^|\/)nuxt\.config\.[cm]?[jt]s$/.test(path) ? (TITLE_IN_SETUP.exec(code)?.[2] ?? null) : null
