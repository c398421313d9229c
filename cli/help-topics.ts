/** Texts of `svc help TOPIC`. */
const TEXTS = {
  environment: `Variables of the command line. An empty one counts as not set.

  SVC_API_URL       address of the API (default: that of the profile, else http://127.0.0.1:8081)
  SVC_API_KEY       key or session token; goes before a stored one
  SVC_PROFILE       profile to use where --profile names none
  SVC_INGEST_URL    address for svc events send (default: what the API names)
  SVC_SERVER_KEY    server key for svc events send
  XDG_CONFIG_HOME   folder of svc/config.json (default: ~/.config)
  PAGER             shows long lists on a terminal (default: less); cat for none
  NO_COLOR, CI, TERM=dumb   no colours; the last two also no spinner and no questions
`,
  files: `Files of the command line.

  $XDG_CONFIG_HOME/svc/config.json   profiles: addresses and keys, readable by you alone (0600)
  FUNNELS.yaml                       { funnels: [{ name, description, windowSeconds, steps }] } in YAML or JSON: svc funnels pull|apply
  EVENTS.ndjson[.gz], EVENTS.csv     an event a line or row: svc events send
  EVENTS.ndjson.svc-progress         how far sending has come; gone when all was sent

A column of a CSV file is a field of the event (event, userId, anonymousId, timestamp, insertId, sdkVersion, properties as a JSON
object) or else a property by its name. A cell that is a number, true or false in JSON is one; an empty cell is none.
`,
  'exit-codes': `Exit codes of every command.

  0  done
  1  refused by the API, or not reached; a --timeout that passed; another settled status than the one of --until;
     events that were refused or not sent; something that svc doctor found
  2  wrong usage: unknown words or flags, values that cannot be, files that are not right
  3  not authenticated: no key, or one that is unknown, expired or revoked
`,
  output: `What commands print.

  On a terminal: tables of its width, relative times, colours, a pager where there is more than a screen.
  In a pipe or a file: the same as plain text, whole, with times in UTC.
  With --json: the answer of the API as it came, a line for each of several ids. Progress and errors go to standard error.
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
