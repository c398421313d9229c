/** Formats of keys, svc's own first. A publishable key of svc is public. */
const FORMS: readonly RegExp[] = [
  /\btsk_(?:api|secret|sess|once)_[A-Za-z0-9_-]{16,}/,
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36,}/,
  /\bgithub_pat_[A-Za-z0-9_]{40,}/,
  /\bgl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,}/,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{20,}|hooks\.slack\.com\/services\/T\w+\/B\w+\/\w{16,}/,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9+/]{24,}/,
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\bAIza[0-9A-Za-z_-]{35}|\bya29\.[A-Za-z0-9_-]{30,}|\bGOCSPX-[A-Za-z0-9_-]{20,}/,
  /\bnpm_[A-Za-z0-9]{36}\b|\bpypi-[A-Za-z0-9_-]{50,}/,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  /\bkey-[0-9a-f]{32}\b|\bSK[0-9a-f]{32}\b/,
  /\bAccountKey=[A-Za-z0-9+/]{60,}={0,2}/,
  /\b\d{8,10}:AA[A-Za-z0-9_-]{32,}/,
  /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b|\bsq0(?:atp|csp)-[A-Za-z0-9_-]{20,}/,
  /\bdo[opr]_v1_[0-9a-f]{60,}|\bhf_[A-Za-z0-9]{30,}|\bsbp_[0-9a-f]{40}|\bhvs\.[A-Za-z0-9_-]{20,}|\bdapi[0-9a-f]{32}\b/,
  /\blin_api_[A-Za-z0-9]{32,}|\bntn_[A-Za-z0-9]{40,}|\bsntrys_[A-Za-z0-9_=+/]{40,}|\bphx_[A-Za-z0-9]{40,}/,
  /\b(?:vercel_blob_rw|pscale_(?:tkn|pw|oauth)|dckr_(?:pat|oat)|figd|sb_secret|shippo_(?:live|test)|glsa|tfp|rubygems|gsk|r8|fm[12])_[A-Za-z0-9_-]{20,}/,
  /\b(?:xkeysib|pplx|xai|NRAK|HRKU|CFPAT|pul)-[A-Za-z0-9_-]{24,}|\bdp\.(?:pt|st|ct|sa|scim)\.[A-Za-z0-9]{30,}|\bsecret_[A-Za-z0-9]{40,}/,
  /\bAT[AC]TT3[A-Za-z0-9_=-]{40,}|\bGR1348941[\w-]{20}|\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}|\bsl\.[A-Za-z0-9_-]{100,}/,
  /\bsk\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}|\bpat[A-Za-z0-9]{14}\.[0-9a-f]{60,}|\bAAAA[\w-]{7}:APA91b[\w-]{80,}/,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{50,}|\bPuTTY-User-Key-File-\d|\b[0-9a-f]{32}-us\d{1,2}\b/,
  /\bdiscord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]{40,}|\b[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}/,
  /[?&;](?:sig|AccountKey)=[A-Za-z0-9%+/]{40,}/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@'"]+:[^\s/@'"]{3,}@[^\s'"]+/i,
  /\bAuthorization["']?\s*[:=]\s*["'`]?(?:Basic|Bearer)\s+[A-Za-z0-9+/_.=-]{16,}/i,
]

/** Names of secrets in settings and code. */
const NAME = String.raw`[\w.-]*(?:api[_-]?key|secret|access[_-]?key|token|private[_-]?key|passw(?:or)?d|passphrase|pwd|credential|auth[_-]?key|authorization)[\w.-]*`
const QUOTED = new RegExp(
  String.raw`\b(${NAME})["']?\]?\s*(?::|=|=>|,)\s*["'\`](?:Bearer |Basic )?([^"'\`\s]{8,})["'\`]`,
  'gi',
)
/** In an address, a connection string or XML: `?api_key=a1b2c3d4`, `;Password=hunter22`. */
const INLINE = new RegExp(String.raw`[?&;<](${NAME})[=>]([^\s"'\`&;<>]{8,})`, 'gi')
/** A line of settings, as `DB_PASSWORD=hunter22` or `password: hunter22`. */
const UNQUOTED = new RegExp(
  String.raw`^[ \t]*(?:export[ \t]+|-[ \t]+)?(${NAME})[ \t]*[:=][ \t]*([^\s"'\`(){}[\],;<>$]{6,})[ \t]*(?:#.*)?$`,
  'gim',
)

const PLACEHOLDER =
  /example|placeholder|change-?me|your[_-]|xxxx|\.\.\.|^<|^\{\{|^\$\{|^process\.|^import\.|^env[.:]/i

/** Shannon entropy in bits for each character. Words have about 3, random characters more than 3.5. */
function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const letter of value) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  return [...counts.values()].reduce(
    (sum, count) => sum - (count / value.length) * Math.log2(count / value.length),
    0,
  )
}

/** Whether a value is a credential and not a name, a label or a placeholder. */
const isCredential = (value: string): boolean =>
  !PLACEHOLDER.test(value) &&
  ((/\d/.test(value) && /[A-Za-z]/.test(value) && new Set(value).size >= Math.min(8, value.length - 1)) ||
    (value.length >= 20 &&
      !/[-_./]/.test(value) &&
      entropy(value) > 3.5 &&
      /[a-z]/.test(value) &&
      /[A-Z]/.test(value)))

/** `password2 = password1` and `token: tokenV2` name another variable. */
const namesItself = (name: string, value: string): boolean => {
  const [word = ''] = /key|secret|token|passw|pwd|credential|auth/i.exec(name) ?? []
  return value.toLowerCase().includes(word.toLowerCase())
}

/** Whether a text holds a key, token or password, which must not be sent to a model. */
export function holdsSecret(text: string): boolean {
  if (FORMS.some((form) => form.test(text))) return true
  for (const [, , value = ''] of text.matchAll(QUOTED)) if (isCredential(value)) return true
  for (const [, , value = ''] of text.matchAll(INLINE)) if (isCredential(value)) return true
  for (const [, name = '', value = ''] of text.matchAll(UNQUOTED))
    if (isCredential(value) && !namesItself(name, value)) return true
  return false
}

const SECRET_NAMES =
  /(^|\/)(\.?env(\.[^/]*)?|\.envrc|\.dev\.vars|\.flaskenv|\.secrets?|\.boto|\.s3cfg|\.terraformrc|\.vault-token|auth\.json|(api-?)?keys?\.json|tokens?\.json|oauth[\w-]*\.json|passwords?\.\w+|appsettings\.[\w.]+|application-\w+\.(properties|ya?ml)|database\.ya?ml|\.npmrc|\.yarnrc(\.yml)?|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.htpasswd|\.pypirc|\.git-credentials|\.dockercfg|\.docker\/config\.json|kubeconfig|id_(rsa|dsa|ecdsa|ed25519)|credentials(\.\w+)?|secrets?\.(json|ya?ml|toml|ini|env|[cm]?[jt]s|php|py|rb)|[\w-]*service-?account[\w-]*\.json|[\w-]*firebase-admin[\w-]*\.json|[\w-]*(gcp|gcloud|google|aws|azure)-?(key|cred)[\w-]*\.json|google-services\.json|terraform\.tfvars|wp-config\.php|local_settings\.py|master\.key)$/i
const SECRET_FOLDERS = /(^|\/)(\.ssh|\.aws|\.gnupg|\.azure|\.kube|secrets)\//i
const SECRET_ENDINGS = /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|ovpn|tfstate|tfvars)$/i

/** Whether a file holds secrets by its name, whatever its content. */
export const isSecretPath = (path: string): boolean =>
  SECRET_NAMES.test(path) || SECRET_FOLDERS.test(path) || SECRET_ENDINGS.test(path)
