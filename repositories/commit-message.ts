import { RepositoryError } from './errors.js'
import type { Author } from './port.js'

/** Names the operation that a commit was made for; by it the commit is found again, also after it was amended, rebased or squashed. */
export const OPERATION_TRAILER = 'Svc-Operation'

/** @throws RepositoryError where an operation's name would not survive as a trailer */
export function operationLine(operation: string): string {
  if (!/^[A-Za-z0-9\-_.:/]{1,100}$/.test(operation))
    throw new RepositoryError('invalid', `an operation cannot be named ${JSON.stringify(operation)}`)
  return `${OPERATION_TRAILER}: ${operation}`
}

/** Whether a commit's message carries an operation: on a line of its own, indented or not, since a squash indents the messages it gathers. */
export function carriesOperation(message: string, operation: string): boolean {
  const line = operationLine(operation)
  return message.split('\n').some((each) => each.trim() === line)
}

/** A commit's message as it is stored: the operation joins the trailers that end it, or follows as a paragraph of its own. */
export function commitMessage(text: string, operation: string): string {
  const body = text.replace(/\r\n?/g, '\n').replaceAll('\0', '').trim()
  const paragraphs = body.split(/\n{2,}/)
  const last = paragraphs.length > 1 ? (paragraphs.at(-1) ?? '') : ''
  const endsInTrailers = last !== '' && last.split('\n').every((line) => /^[A-Za-z][A-Za-z-]*: \S/.test(line))
  const subject = body === '' ? operation : body
  return `${subject}${endsInTrailers ? '\n' : '\n\n'}${operationLine(operation)}\n`
}

/** An author as git takes one: without what ends a name or an address, and never empty. */
export function cleanAuthor({ name, email }: Author): Author {
  const clean = (text: string) =>
    [...text]
      .map((char) => (char < ' ' || char === '\u007f' || char === '<' || char === '>' ? ' ' : char))
      .join('')
      .replace(/ +/g, ' ')
      // Git drops these from the ends by itself: the same commit everywhere has them dropped here.
      .replace(/^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/g, '')
  return { name: clean(name) || 'svc', email: clean(email).replaceAll(' ', '') || 'svc@localhost' }
}

/** A date as commits keep it: whole seconds. */
export function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
