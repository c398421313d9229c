import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../runtime/package-root.js'

/** The snippets of docs/send-events.md in a language, by the name after `sdk=`. */
export function sendEventsSnippets(language: 'js' | 'python'): ReadonlyMap<string, string> {
  const text = readFileSync(join(packageRoot(), 'docs', 'send-events.md'), 'utf8')
  const found = text.matchAll(new RegExp(`^\`\`\`${language} sdk=(\\S+)\\n([\\s\\S]*?)^\`\`\``, 'gm'))
  return new Map([...found].map(([, name = '', code = '']) => [name, code]))
}
