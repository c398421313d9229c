/** Forms in which keys and passwords stand in source. Each needs a value that is long or mixed enough not to be a word. */
const FORMS: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36,}/,
  /\bgithub_pat_[A-Za-z0-9_]{40,}/,
  /\bglpat-[A-Za-z0-9_-]{20,}/,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/,
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\bAIza[0-9A-Za-z_-]{35}/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@'"]+:[^\s/@'"]{3,}@[^\s'"]+/i,
]

const ASSIGNED =
  /(?:api[_-]?key|secret(?:[_-]?key)?|access[_-]?token|auth[_-]?token|client[_-]?secret|private[_-]?key|passw(?:or)?d|pwd)["']?\s*[:=]\s*["'`]([^"'`\s]{8,})["'`]/gi

/** Whether an assigned value is a credential and not a name, a label or a placeholder. */
const isRandom = (value: string): boolean =>
  !/^(?:\$\{|<|\{\{|process\.|import\.)/.test(value) &&
  /[0-9]/.test(value) &&
  /[A-Za-z]/.test(value) &&
  new Set(value).size >= 8 &&
  !/example|placeholder|changeme|your[_-]/i.test(value)

/** Whether a text holds what must never be shown, nor sent to anybody: keys, tokens, passwords, addresses with a password. */
export function holdsSecret(text: string): boolean {
  if (FORMS.some((form) => form.test(text))) return true
  for (const [, value] of text.matchAll(ASSIGNED)) if (value !== undefined && isRandom(value)) return true
  return false
}

/** Files that hold secrets by what they are, whatever stands in them. */
export const isSecretPath = (path: string): boolean =>
  /(^|\/)(\.env(\.[^/]*)?|\.npmrc|\.netrc|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519)|credentials(\.json)?)$|\.(pem|key|p12|pfx|jks|keystore|kdbx)$/i.test(
    path,
  )
