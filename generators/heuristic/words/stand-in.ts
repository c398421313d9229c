/** The words of the Latin text that themes are filled with. */
const LATIN =
  /\b(lorem|ipsum|dolor|amet|consectetur|adipisc\w+|eiusmod|tempor|incididunt|aliqua|veniam|nostrud|exercitation|ullamco|laboris|aliquip|commodo|consequat|aute|irure|reprehenderit|voluptat\w+|cillum|fugiat|pariatur|excepteur|occaecat|cupidatat|proident|officia|deserunt|mollit|laborum|vestibulum|pellentesque|curabitur|phasellus|suspendisse|malesuada)\b/gi

/** What somebody has still to write, and says so. */
const TO_WRITE =
  /lorem ipsum|behind the word mountains|blind texts|(your|main|sub-?)\s?-?(hero )?(text|content|title|headline|tagline|message|copy)\b.{0,12}\b(here|goes)\b|hero message|(cool|exciting) words about|insert .{0,20} here|placeholder text|\[[a-z ]+\]|this (section|text|heading) is (perfect|for)|your (company|product|brand|startup)( name)?['’]?s? (here|name)/i

/** Whether a text stands in for one that has still to be written. */
export const isStandIn = (text: string): boolean =>
  TO_WRITE.test(text) || (text.match(LATIN)?.length ?? 0) >= 2
