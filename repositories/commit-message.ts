import { RepositoryError } from './errors.js'
import type { Author } from './port.js'

/** Trailer with the operation of a commit. It finds the commit again after an amend, a rebase or a squash. */
export const OPERATION_TRAILER = 'Svc-Operation'

/** @throws RepositoryError if an operation's name would not survive as a trailer */
export function operationLine(operation: string): string {
  if (!/^[A-Za-z0-9\-_.:/]{1,100}$/.test(operation))
    throw new RepositoryError('invalid', `an operation cannot be named ${JSON.stringify(operation)}`)
  return `${OPERATION_TRAILER}: ${operation}`
}

/**
 * Whether a message carries an operation on its own line. The line may be indented, as squashes indent the
 * messages that they collect.
 */
export function carriesOperation(message: string, operation: string): boolean {
  const line = operationLine(operation)
  return message.split('\n').some((each) => each.trim() === line)
}

/** The message of a commit: the operation joins the trailers at its end, or becomes the last paragraph. */
export function commitMessage(text: string, operation: string): string {
  const body = text.replace(/\r\n?/g, '\n').replaceAll('\0', '').trim()
  const paragraphs = body.split(/\n{2,}/)
  const last = paragraphs.length > 1 ? (paragraphs.at(-1) ?? '') : ''
  const endsInTrailers = last !== '' && last.split('\n').every((line) => /^[A-Za-z][A-Za-z-]*: \S/.test(line))
  const subject = body === '' ? operation : body
  return `${subject}${endsInTrailers ? '\n' : '\n\n'}${operationLine(operation)}\n`
}

/** An author as git accepts it: without characters that end a name or an address, and never empty. */
export function cleanAuthor({ name, email }: Author): Author {
  const clean = (text: string) =>
    [...text]
      .map((char) => (char < ' ' || char === '\u007f' || char === '<' || char === '>' ? ' ' : char))
      .join('')
      .replace(/ +/g, ' ')
      // Git drops these at both ends itself. Dropping them here gives the same commit on every host.
      .replace(/^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/g, '')
  return { name: clean(name) || 'svc', email: clean(email).replaceAll(' ', '') || 'svc@localhost' }
}

/** A date in whole seconds, as commits store it. */
export function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
