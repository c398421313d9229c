/**
 * Where the body pass and its host put things in the memory they share, as byte addresses and counts. Compiled twice: for Node with everything else, and into the module by
 * `scripts/build-modules.mjs`, so it holds plain numbers and nothing else.
 *
 * Below `ARENA` everything has its place. From there on the host divides the memory anew for each body, by its length, and says so in the parameters:
 *
 *   body      as it came, then a zero: no byte of JSON is zero, so whatever reads on stops there
 *   scratch   the properties of the event that is being read and one more value, in canonical form
 *   texts     the short fields of all events, unescaped, one after the other; ids with the tag of their hash in front
 *   rows      room for the header of one record, the rows of all events in their order, room for the lengths
 *   records   the same rows by partition, each record whole
 */
const PARAMETERS = 64
export const BODY_AT = PARAMETERS
export const BODY_BYTES = PARAMETERS + 4
export const SCRATCH_AT = PARAMETERS + 8
export const TEXTS_AT = PARAMETERS + 12
export const ROWS_AT = PARAMETERS + 16
export const ROWS_END = PARAMETERS + 20
export const RECORDS_AT = PARAMETERS + 24
export const PARTITIONS = PARAMETERS + 28
export const MAX_EVENTS = PARAMETERS + 32
export const MAX_PROPERTIES_BYTES = PARAMETERS + 36
export const MAX_MEMBERS = PARAMETERS + 40
/** What the pass says about the body it has read: where its texts end, whether they are ASCII, and where `sentAt` lies among them, 0 for none. */
export const TEXTS_END = PARAMETERS + 44
export const TEXTS_ARE_ASCII = PARAMETERS + 48
export const SENT_AT = PARAMETERS + 52
export const SENT_AT_END = PARAMETERS + 56

/** Whether the body is ASCII, and so UTF-8 as well. */
export const BODY_IS_ASCII = PARAMETERS + 60

/** SipHash keys: 16 bytes each. */
export const INSERT_KEY = 128
export const PERSON_KEY = 144
/** The header of the records, its number of rows left open. */
export const HEADER = 160

/** For each open container: 8 bytes of what is known of its keys, 4 for the number of its first key, 4 for its kind. */
export const STACK = 256
export const MAX_DEPTH = 64
/** Where each field of the event that is being read lies in the texts: two addresses, zeros for an absent one. */
export const FIELDS = 1_600
/** The value of each byte as a hexadecimal digit. */
export const HEX_DIGITS = 1_664
/** Hashes of the keys of the open objects: 8 bytes each. */
export const KEYS = 2_048
export const MAX_KEYS = 64

/**
 * For each event 128 bytes. First where each field lies in the texts, in UTF-16 units, and how long it is: pairs of 32-bit numbers, -1 for the place of an absent one.
 */
export const EVENTS = 65_536
export const EVENT_BYTES = 128
export const EVENT = 0
export const USER_ID = 8
export const ANONYMOUS_ID = 16
export const TIMESTAMP = 24
export const INSERT_ID = 32
export const SDK_VERSION = 40
export const HAS_PROPERTIES = 48
/** Where the texts of the event begin, as a byte and in units. */
export const FIRST_BYTE = 52
export const FIRST_UNIT = 56
export const ROW_AT = 60
export const ROW_BYTES = 64
/** Where the event has both ids: the 16 bytes of the hash of the anonymous one, and the 8 bytes of the user's key. */
export const ANONYMOUS_HASH = 72
export const USER_KEY = 88
/** The next event of the same record, negative for the last. */
export const NEXT = 96
export const MAX_EVENTS_THERE_IS_ROOM_FOR = 500

/** For each record 24 bytes: what the host wants to know of it, and its first and last event. */
export const RECORDS = 131_072
export const RECORD_BYTES = 24
export const RECORD_PARTITION = 0
export const RECORD_ROWS = 4
export const RECORD_AT = 8
export const RECORD_LENGTH = 12
export const RECORD_FIRST = 16
export const RECORD_LAST = 20
/** For each partition 2 bytes: which record it has, 0 between two bodies. */
export const RECORD_OF_PARTITION = 147_456
export const MAX_PARTITIONS = 65_535

export const ARENA = 278_528
/** Bytes that may be read behind the body, and written behind any of the regions: vectors are wider than what they are for. */
export const PAD = 64
/** Canonical text may be so much longer than what was sent, by numbers that are written out; where it is more, the pass gives up. */
export const GROWTH = 16_384
