/**
 * Memory shared by the fast decoder and its host. Compiled for Node and into the module, so it holds only
 * numbers. Below `ARENA` all addresses are fixed; from there on the host divides the memory for each body:
 *
 *     body      as it came, then a zero: JSON has no zero bytes, so reading stops there
 *     scratch   the properties of the current event and one more value, in canonical form
 *     texts     the short fields of all events, unescaped; ids with the tag of their hash in front
 *     rows      room for one header, the rows of all events in order, room for the lengths
 *     records   the same rows by partition, each record whole
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
export const MEMBER_LIMIT = PARAMETERS + 40
/**
 * Results: where the texts end, whether they are ASCII, and where `sentAt` lies among them, 0 if there is
 * none.
 */
export const TEXTS_END = PARAMETERS + 44
export const TEXTS_ARE_ASCII = PARAMETERS + 48
export const SENT_AT = PARAMETERS + 52
export const SENT_AT_END = PARAMETERS + 56

/** Whether the body is ASCII, and so valid UTF-8. */
export const BODY_IS_ASCII = PARAMETERS + 60

export const INSERT_KEY = 128
export const PERSON_KEY = 144
/** Header of the records without its number of rows. */
export const HEADER = 160

/** Per open container: filter of its keys (8 bytes), number of its first key (4), kind (4). */
export const STACK = 256
export const MAX_DEPTH = 64
/** Begin and end of each field of the current event in the texts; zeros if absent. */
export const FIELDS = 1_600
export const HEX_DIGITS = 1_664
/** Hashes of the keys of the open objects, 8 bytes each. */
export const KEYS = 2_048
export const MAX_KEYS = 64

/**
 * Per event 128 bytes, beginning with the offset (in UTF-16 units, -1 if absent) and length of each field.
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
/** The start of the event's texts, as an address and in units. */
export const FIRST_BYTE = 52
export const FIRST_UNIT = 56
export const ROW_AT = 60
export const ROW_BYTES = 64
/** If the event has both ids: the hash of the anonymous one (16 bytes) and the user's key (8). */
export const ANONYMOUS_HASH = 72
export const USER_KEY = 88
/** The next event of the same record, negative for the last. */
export const NEXT = 96
export const MAX_EVENTS_THERE_IS_ROOM_FOR = 500

/** Per record 24 bytes: what the host reads, and its first and last event. */
export const RECORDS = 131_072
export const RECORD_BYTES = 24
export const RECORD_PARTITION = 0
export const RECORD_ROWS = 4
export const RECORD_AT = 8
export const RECORD_LENGTH = 12
export const RECORD_FIRST = 16
export const RECORD_LAST = 20
/** Per partition 2 bytes: the number of its record, 0 between two bodies. */
export const RECORD_OF_PARTITION = 147_456
export const MAX_RECORD_PARTITIONS = 65_535

export const ARENA = 278_528
/** Bytes that vectors may read after the body and write after any region. */
export const PAD = 64
/**
 * Canonical text may be this much longer than what was sent, because of numbers; beyond, the parser takes
 * over.
 */
export const GROWTH = 16_384
