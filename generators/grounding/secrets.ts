import { placeOf } from '../page/locales.js'

/** Formats of keys, svc's own first. A publishable key of svc is public. */
const FORMS: readonly RegExp[] = [
  /\btsk_(?!live_)[a-z]+_[A-Za-z0-9_-]{16,}/,
  /-{2,5}(?: |%20)?BEGIN(?: |%20)(?:[A-Z0-9]+(?: |%20))*PRIVATE(?: |%20)KEY|\bLS0tLS1CRUdJTi|\bb3BlbnNzaC1rZXkt|\bMII[A-Za-z0-9+/]{2,4}IBA[AD]|\bMHcCAQE/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36,}/,
  /\bgithub_pat_[A-Za-z0-9_]{40,}/,
  /\bgl(?:pat|dt|rt|rtr|ptt|cbt|ft|agent|soat|imt|oas)-[A-Za-z0-9_-]{20,}/,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{20,}|hooks\.slack\.com\/(?:services|workflows)\/T\w+\/\w+\/[\w/]{16,}/,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9+/]{24,}/,
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\bAIza[0-9A-Za-z_-]{35}|\bya29\.[A-Za-z0-9_-]{30,}|\bGOCSPX-[A-Za-z0-9_-]{20,}/,
  /\bnpm_[A-Za-z0-9]{36}\b|\bpypi-[A-Za-z0-9_-]{50,}/,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  /\bkey-[0-9a-f]{32}\b|\bSK[0-9a-f]{32}\b/,
  /\bAccountKey=[A-Za-z0-9+/]{60,}={0,2}/,
  /\b\d{8,10}:AA[A-Za-z0-9_-]{32,}/,
  /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b|\bsq0(?:atp|csp)-[A-Za-z0-9_-]{20,}/,
  /\bdo[opr]_v1_[0-9a-f]{60,}|\bhf_[A-Za-z0-9]{30,}|\bsbp_[0-9a-f]{40}|\bhv[bsr]\.[A-Za-z0-9_-]{20,}|\bdapi[0-9a-f]{32}\b/,
  /\blin_api_[A-Za-z0-9]{32,}|\bntn_[A-Za-z0-9]{40,}|\bsntry[su]_[A-Za-z0-9_=+/]{40,}|\bphx_[A-Za-z0-9]{40,}/,
  /\b(?:vercel_blob_rw|pscale_(?:tkn|pw|oauth)|dckr_(?:pat|oat)|figd|sb_secret|shippo_(?:live|test)|glsa|glc|tfp|rzp_(?:live|test)|nfp|rnd|bkua|CCIPAT|pdl_(?:live|sdbx)_apikey|npg|ops|ATBB|rubygems|gsk|r8|fm[12])_[A-Za-z0-9_-]{20,}/,
  /\b(?:xkeysib|pplx|xai|NRAK|HRKU|CFPAT|pul|FLWSECK(?:_TEST)?|tskey-[a-z]+|access-(?:production|sandbox)|[as](?:dk|pi)-[0-9a-f]{8})-[A-Za-z0-9_-]{24,}|\bdp\.(?:pt|st|ct|sa|scim)\.[A-Za-z0-9]{30,}|\bsecret_[A-Za-z0-9]{40,}/,
  /\bAT[AC]TT3[A-Za-z0-9_=-]{40,}|\bGR1348941[\w-]{20}|\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}|\bsl\.[A-Za-z0-9_-]{100,}/,
  /\bsk\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}|\bpat[A-Za-z0-9]{14}\.[0-9a-f]{60,}|\bAAAA[\w-]{7}:APA91b[\w-]{80,}/,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{50,}|\bPuTTY-User-Key-File-\d|\b[0-9a-f]{32}-us\d{1,2}\b/,
  /\bdiscord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]{40,}|\b[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}/,
  /[?&;](?:sig|AccountKey)=[A-Za-z0-9%+/]{40,}/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@'"<>{}[\]$]{1,200}:(?!(?:pass(?:word)?|passwd|pwd|secret|\*+)@)[^\s/@'"<>{}[\]$]{3,200}@[^\s'"]+/i,
  /\bAuthorization["']?\s*[:=]\s*["'`]?(?:Basic|Bearer|token)\s+(?!\S*your[_-])[A-Za-z0-9+/_.=-]{16,}/i,
  /\b\w{14}\.atlasv1\.\w{40,}|\b[0-9a-f]{36}NRAL\b|\bATBB\w{28,}|\bEAA[A-Za-z][A-Za-z0-9_-]{56,}|\bv1\.0-[0-9a-f]{24}-[0-9a-f]{60,}/,
  /\b\w{3}\dQ~[\w.~-]{31,}|\bA{20,}[\w%]{30,}|\bnsec1[a-z0-9]{50,}|\brzp_(?:live|test)_\w{14}|\blive_[A-Za-z0-9]{30}\b|\bpk_[0-9a-f]{34}\b/,
  /webhook\.office\.com\/webhookb2\/[\w@-]{20,}|hooks\.zapier\.com\/hooks\/catch\/\d+\/\w+/,
  /\$(?:2[aby]|apr1|argon2\w+|[156])\$[\w./=,$+-]{20,}|"d"\s*:\s*"[\w-]{40,}"|\b[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}\b/,
  /\/\/:[^\s/@'"]{6,}@|\/\/[A-Za-z0-9_]{30,}@|\bthin:\w+\/[^\s@]+@|\s-u\s+["']?\w[\w.@-]*:[^\s"']{4,}/,
  /\b_auth(?:Token)?\s*=\s*[\w+/=-]{8,}|\b_password\s*=\s*[\w+/=]{8,}/,
]

/** Names whose values are secrets, also if they are words with figures. They end the name. */
const WORD = `(?:pass(?:word|wd|phrase|wort)?|kennwort|contrase[nñ]a|mot_?de_?passe|pwd|pw|secret)`
/** Names whose values are secrets if they are random. */
const KEY = `(?:(?:api|app|auth|access|account|admin|deploy|encryption|hmac|licen[cs]e|master|private|service|shared|sign(?:ing)?|write|instrumentation|webhook)[_-]?key|token|secret|credential|authorization|bearer|pat|salt|clave|passw|(?<![a-z])key)`
const NAMES = String.raw`\b([\w.-]{0,40}?(?:${WORD}|${KEY}[\w.-]{0,30}?))`
/** All that may stand between a name and its value, as in `name="x" value=`, `: string =` or `||`. */
const BETWEEN = String.raw`["']?(?:[\s:=|?>,(&!\])]{1,8}|string\b|value=|content=|b(?=["'])|<\/?[a-z]+>){1,4}`
const QUOTED = new RegExp(`${NAMES}${BETWEEN}["'\`](?:Bearer |Basic |token )?([^"'\`\\s]{6,})["'\`]`, 'gi')
/** In an address, a connection string or XML: `?api_key=a1b2c3d4`, `;Password=hunter22`. */
const INLINE = new RegExp(`[?&;<]${NAMES}[=>]([^\\s"'\`&;<>]{6,})`, 'gi')
/** In a line of settings, a command, or a comment: `DB_PASSWORD=hunter22`, `password: hunter22`. */
const UNQUOTED = new RegExp(
  `(?<![?&])${NAMES}(?:[ \\t]*(?::=|::?|=)[ \\t]*[|>]?[ \\t]*\\n?[ \\t]*|(?<=\\bENV .{1,60})[ \\t]+)([^\\s"'\`(){}[\\],;<>$&]{6,})(?=[ \\t]*(?:$|#|-->|["'\`])|[ \\t]+[a-z])`,
  'gim',
)
/** A text that is nothing but random characters, whatever its name, unless that says that it is an id. */
const BARE =
  /(?<!(?:content|integrity|src|href|nonce)=|sha\d+-|(?:(?<![a-z])id|I[dD])["']?:\s?)["'`]([A-Za-z0-9_+/-]{24,128}={0,2})["'`]/g
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const PLACEHOLDER =
  /example|placeholder|change-?me|your[_-]|xxx|\.\.\.|^<|^\{\{|^\$\{|^process\.|^import\.|^env[.:]|^(?:pk|tsk_live|G|GTM|UA|AW)[_-]|^[/.#@]|^https?:/i

/** How often a text changes between capitals, small letters and figures, for each character. */
function changes(value: string): number {
  const kinds = [...value.replace(/[^A-Za-z0-9]/g, '')].map((one) =>
    /\d/.test(one) ? 0 : /[A-Z]/.test(one) ? 1 : 2,
  )
  return kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length / Math.max(1, kinds.length)
}

const count = (value: string, form: RegExp): number => value.match(form)?.length ?? 0

/** Whether a value is random characters, and no name, label or path. */
const isRandom = (value: string): boolean =>
  value.length >= 16 &&
  !PLACEHOLDER.test(value) &&
  count(value, /\d/g) >= 2 &&
  count(value, /[a-z]/gi) >= 2 &&
  changes(value) >= 0.25 &&
  !/^[a-z\d-]+(?:\/[a-z\d-]+)+$/.test(value) &&
  new Set(value).size >= 8

/** Whether a value is a password, as people choose them. */
const isPassword = (value: string): boolean =>
  !PLACEHOLDER.test(value) &&
  !/^[a-z_$][\w$]*(?:\.[\w$]+)+$/i.test(value) &&
  ((/\d/.test(value) && /[A-Za-z]/.test(value) && new Set(value).size >= 5) ||
    (/=$/.test(value) && changes(value) >= 0.3))

/** `password2 = password1` and `token: tokenV2` name another variable. */
const namesItself = (name: string, value: string): boolean => {
  const [word = ''] = /key|secret|token|passw|pwd|credential|auth/i.exec(name) ?? []
  return word !== '' && value.toLowerCase().includes(word.toLowerCase())
}

const ENDS_IN_WORD = new RegExp(`${WORD}$`, 'i')

function isCredential(name: string, value: string): boolean {
  if (/public|publish|site[_-]?key/i.test(name)) return false
  if (namesItself(name, value) && !isRandom(value)) return false
  if (ENDS_IN_WORD.test(name)) return isPassword(value) || isRandom(value)
  return isRandom(value) && !(UUID.test(value) && /(?:^|\.)key$/i.test(name))
}

/** Firebase's web configuration, whose key every visitor gets, and which its rules protect. */
const FIREBASE = /\{[^{}]*\bauthDomain\b[^{}]*\}/g
/** A key with which browsers draw a map. Every visitor gets it, and the pages that may use it protect it. */
const MAP_KEY =
  /((?:google\.com\/maps\/embed\/|maps\.google(?:apis)?\.com\/maps\/api\/(?:js|staticmap|streetview)\b)[^\s"'`<>]{0,500}[?&;]key=|\b(?:bootstrapURLKeys|googleMapsApiKey)\s*[=:]\s*[\s{]*(?:key\s*:\s*)?["'`])AIza[\w-]{35}/g
/** PNG, JPEG, GIF, WebP and fonts by their first bytes. */
const PICTURE = /;base64,(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|d09GM?)[A-Za-z0-9+/=]+/g

/** The text as programs put it together, without invisible characters, escapes, pictures and public keys. */
const joined = (text: string): string =>
  text
    .replace(PICTURE, '')
    .replace(FIREBASE, (one) => one.replace(/\bAIza[\w-]{35}(?=["'`])/, ''))
    .replace(MAP_KEY, '$1')
    .replace(/[\u200b-\u200d\u2060\ufeff]/g, '')
    .replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\(?=["'`/])/g, '')
    .replace(/(["'`])\s*\+\s*["'`]/g, '')

/** Whether a text holds a key, token or password, which must not be sent to a model. */
export const holdsSecret = (text: string): boolean => secretIn(text) !== undefined

/** The first key, token or password of a text. */
export function secretIn(given: string): string | undefined {
  const text = joined(given)
  for (const form of FORMS) {
    const found = form.exec(text)?.[0]
    if (found !== undefined) return found
  }
  for (const form of [QUOTED, INLINE, UNQUOTED])
    for (const [found, name = '', value = ''] of text.matchAll(form))
      if (isCredential(name, value) && !(form === INLINE && UUID.test(value))) return found
  for (const [found, value = ''] of text.matchAll(BARE))
    if (isRandom(value) && !UUID.test(value) && /[A-Z]/.test(value) && changes(value) >= 0.4) return found
  return undefined
}

const SECRET_NAMES =
  /(^|\/)(\.env(\.[^/]*)?|env(\.(?!(?:d\.)?[cm]?[jt]s$)[^/]*)?|\.envrc|\.dev\.vars|\.flaskenv|\.secrets?|\.boto|\.s3cfg|\.terraformrc|\.vault-token|auth\.json|(api-?)?keys?\.json|tokens?\.json|oauth[\w-]*\.json|passwords?\.(txt|csv|md|ini|json|ya?ml)|appsettings\.[\w.]+|application-\w+\.(properties|ya?ml)|database\.ya?ml|\.npmrc|\.yarnrc(\.yml)?|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.htpasswd|\.pypirc|\.git-credentials|\.dockercfg|\.docker\/config\.json|kubeconfig|id_(rsa|dsa|ecdsa|ed25519)|credentials(\.\w+)?|secrets?\.(json|ya?ml|toml|ini|env|[cm]?[jt]s|php|py|rb)|[\w-]*service-?account[\w-]*\.json|[\w-]*firebase-admin[\w-]*\.json|[\w-]*(gcp|gcloud|google|aws|azure)-?(key|cred)[\w-]*\.json|google-services\.json|terraform\.tfvars|wp-config\.php|local_settings\.py|master\.key)$/i
const SECRET_FOLDERS = /(^|\/)(\.ssh|\.aws|\.gnupg|\.azure|\.kube|secrets)\//i
const SECRET_ENDINGS = /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|ovpn|tfstate|tfvars)$/i

/** Pages, and the texts of a language: only their content tells. */
const isShown = (path: string): boolean =>
  /\.(html?|vue|svelte|[jt]sx|d\.ts)$/i.test(path) || placeOf(path) !== null

/** Whether a file holds secrets by its name, whatever its content. */
export const isSecretPath = (path: string): boolean =>
  !isShown(path) && (SECRET_NAMES.test(path) || SECRET_FOLDERS.test(path) || SECRET_ENDINGS.test(path))
