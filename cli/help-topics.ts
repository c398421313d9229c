/** Texts of `svc help TOPIC`. */
const TEXTS = {
  environment: `Variables of the command line. An empty one counts as not set.

  SVC_API_URL       address of the API (default: that of the profile, else http://127.0.0.1:8081)
  SVC_API_KEY       key or session token; overrides a stored one
  SVC_PROFILE       profile to use without --profile
  SVC_INGEST_URL    address for svc events send (default: the one the API reports)
  SVC_SERVER_KEY    server key for svc events send
  XDG_CONFIG_HOME   folder of svc/config.json (default: ~/.config)
  PAGER             shows long lists on a terminal (default: less); cat for none
  NO_COLOR, CI, TERM=dumb   no colours; the last two also no spinner and no questions
`,
  files: `Files of the command line.

  $XDG_CONFIG_HOME/svc/config.json   profiles: addresses and keys, readable by you alone (0600)
  FUNNELS.yaml                       { funnels: [{ name, description, windowSeconds, steps, query }] } in YAML or JSON: svc funnels pull|apply
  EVENTS.ndjson[.gz], EVENTS.csv     one event per line or row: svc events send
  EVENTS.ndjson.svc-progress         progress of svc events send; removed at the end

A column of a CSV file is a field of the event (event, userId, anonymousId, timestamp, insertId, sdkVersion, properties as a JSON
object) or a property of its name. A cell that is a JSON number, true or false is parsed; an empty cell is skipped.
`,
  'exit-codes': `Exit codes of every command.

  0  done
  1  refused by the API, or API not reached; a --timeout that passed; a settled status other than that of --until;
     events that were refused or not sent; a failed check of svc doctor
  2  wrong usage: unknown words or flags, invalid values, invalid files
  3  not authenticated: no key, or one that is unknown, expired or revoked
`,
  output: `What commands print.

  On a terminal: tables of its width, relative times, colours, a pager for more than one screen.
  In a pipe or a file: the same as plain text, not truncated, with times in UTC.
  With --json: the answer of the API unchanged, one line for each of several ids. Progress and errors go to standard error.
  With --wait and --json: the last answer.
`,
} as const satisfies Readonly<Record<string, string>>

export type Topic = keyof typeof TEXTS
export const TOPICS = Object.keys(TEXTS) as Topic[]

export function isTopic(word: string): word is Topic {
  return Object.hasOwn(TEXTS, word)
}

export function topicText(topic: Topic): string {
  return TEXTS[topic]
}
