import type { ClientRole } from '../clients/clients.js'
import { FAULTS, type Fault, faultAt, faultsNamed } from '../faults/faults.js'
import type { AllInOne } from '../systems/all-in-one.js'
import type { System } from '../systems/system.js'
import type { FAULTY } from '../verify/verify.js'
import type { Patch } from './mutate.js'

/** One guarantee taken away, the fault that shows it, and what the count then finds. */
export interface Mutation<S extends System> {
  readonly name: string
  readonly patches: readonly Patch[]
  readonly faults: readonly Fault<S>[]
  /** Clients that meet the broken guarantee soon. */
  readonly roles?: readonly ClientRole[]
  readonly shows: (typeof FAULTY)[number]
}

const named = (names: readonly string[]): Fault<AllInOne>[] => faultsNamed(names, FAULTS)

const PLAIN: readonly ClientRole[] = Array.from({ length: 8 }, () => ({ kind: 'plain', most: 60 }))
const LINKS: readonly ClientRole[] = [
  ...Array.from({ length: 5 }, (): ClientRole => ({ kind: 'linker', most: 20 })),
  ...Array.from({ length: 3 }, (): ClientRole => ({ kind: 'alias', most: 1 })),
  { kind: 'plain', most: 80 },
  { kind: 'plain', most: 80 },
]

/** Every insertId once. */
export const DEDUPLICATION_MUTATIONS: readonly Mutation<AllInOne>[] = [
  {
    name: 'an insertId that has been stored is not looked for',
    patches: [
      {
        file: 'consumers/blocks/deduplicate-rows.js',
        within: 'deduplicateRows',
        thing: { call: 'has' },
        becomes: '0',
      },
    ],
    faults: named(['kill gateway']),
    shows: 'doubled',
  },
  {
    name: 'an insertId earlier in the same block is not looked for',
    patches: [
      {
        file: 'consumers/blocks/deduplicate-rows.js',
        within: 'deduplicateRows',
        thing: { negated: 'add' },
        becomes: ({ text }) => `(${text}, false)`,
      },
    ],
    faults: named(['kill gateway']),
    shows: 'doubled',
  },
  {
    name: 'what is stored is forgotten with a restart',
    patches: [
      {
        file: 'consumers/dedup/deduplicator.js',
        within: 'Deduplicator.fill',
        thing: { awaited: 'readStored' },
        becomes: 'true',
      },
    ],
    faults: named(['kill all']),
    shows: 'doubled',
  },
  {
    name: 'insertIds count as stored before the insert has succeeded',
    patches: [
      {
        file: 'consumers/partitions/prepare-block.js',
        within: 'prepareBlock',
        thing: { call: 'deduplicateRows' },
        becomes: ({ text, args: [block, record, ids] }) =>
          `(${text}, rememberRows(${block}, ${record}, ${ids}.seen))`,
      },
    ],
    faults: named(['consumer:intent-written fails']),
    shows: 'lost',
  },
]

/** Every block once. */
export const STORE_MUTATIONS: readonly Mutation<AllInOne>[] = [
  {
    name: 'a block is marked as done before its insert',
    patches: [
      {
        file: 'consumers/partitions/checkpoint.js',
        within: 'writeIntent',
        thing: { sets: 'done_offset' },
        becomes: ({ others }) => others.open_to ?? '',
      },
      {
        file: 'consumers/partitions/checkpoint.js',
        within: 'writeIntent',
        thing: { sets: 'open_to' },
        becomes: 'null',
      },
      {
        file: 'consumers/partitions/checkpoint.js',
        within: 'writeIntent',
        thing: { sets: 'open_token' },
        becomes: 'null',
      },
    ],
    faults: named(['consumer:intent-written']),
    shows: 'lost',
  },
  {
    name: 'the log forgets a block before its insert',
    patches: [
      {
        file: 'consumers/partitions/block-writer.js',
        within: 'writeBlockIntent',
        thing: { awaited: 'trimLog' },
        becomes: ({ args: [deps, own, from = ''] }) =>
          `(await trimLog(${deps}, ${own}, ${from.replace(/from$/, 'to')}), await ${deps}.faultPoint('consumer:released'))`,
      },
    ],
    faults: [faultAt('consumer:released', 'consumer:released', 6)],
    shows: 'lost',
  },
  {
    name: 'a block is inserted without its token',
    patches: [
      {
        file: 'clickhouse/statements/event-insert.js',
        within: 'eventInsertSettings',
        thing: { property: 'insert_deduplication_token' },
        becomes: ({ text }) => `${text} + Date.now()`,
      },
    ],
    faults: named(['consumer:inserted']),
    shows: 'doubled',
  },
]

/** They break the rule that acknowledged requests are durable and whole. */
export const ENTRY_MUTATIONS: readonly Mutation<AllInOne>[] = [
  {
    name: 'a request is answered before it is durable',
    patches: [
      {
        file: 'ingest/append/append.js',
        within: 'createAppender',
        thing: { awaited: 'append' },
        becomes: ({ text }) => `void ${text}`,
      },
    ],
    faults: named(['log:writing, all']),
    shows: 'lost',
  },
  {
    name: 'an unknown outcome is answered as a refusal',
    patches: [
      {
        file: 'ingest/append/append.js',
        within: 'createAppender',
        thing: { instanceOf: 'LogUnavailableError' },
        becomes: 'true',
      },
    ],
    faults: named(['gateway:appended fails']),
    roles: PLAIN,
    shows: 'doubled',
  },
  {
    name: 'the records of a request are written in two transactions',
    patches: [
      {
        file: 'log/embedded/log.js',
        within: 'EmbeddedLog.write',
        thing: { whole: 'body' },
        becomes: ({ args: [take] }) => `{
          await this.checkSpace();
          let later = [];
          await this.database.childTransaction(() => {
            const all = ${take}();
            later = all.filter(({ partition }) => partition >= this.partitions);
            this.putRecords(all.filter(({ partition }) => partition < this.partitions), this.readOffsets());
          });
          if (later.length === 0) return;
          this.options.faultPoint?.('log:between');
          await this.database.childTransaction(() => this.putRecords(later, this.readOffsets()));
        }`,
      },
    ],
    faults: [faultAt('log:between', 'log:between', 60)],
    roles: PLAIN,
    shows: 'torn',
  },
]

/** The first link of an anonymous id, in both stores. */
export const LINK_MUTATIONS: readonly Mutation<AllInOne>[] = [
  {
    name: 'the way of a link to the event store is written after the link',
    patches: [
      {
        file: 'postgres/tables/identity-links.js',
        within: 'insertLinks',
        thing: { clause: 'insert into link_outbox (workspace_id, anonymous_key, user_key)' },
        becomes: '',
      },
      {
        file: 'consumers/identity/identity-consumer.js',
        within: 'IdentityConsumer.apply',
        thing: { call: 'insertLinks' },
        becomes: ({ text, args: [, pairs] }) => `(globalThis.written = ${pairs}, ${text})`,
      },
      {
        file: 'consumers/identity/identity-consumer.js',
        within: 'IdentityConsumer.handle',
        thing: { faultPoint: 'identity:linked' },
        becomes: ({ text, object: deps }) =>
          `${text}; await ${deps}.sql\`
            insert into link_outbox (workspace_id, anonymous_key, user_key)
            select l.workspace_id, l.anonymous_key, l.user_key
            from unnest(\${globalThis.written?.workspaces ?? []}::uuid[], \${globalThis.written?.anonymousIds ?? []}::text[]) as p (w, a)
            join identity_links l on l.workspace_id = p.w and l.anonymous_id = p.a\``,
      },
    ],
    faults: named(['identity:linked']),
    roles: LINKS,
    shows: 'links',
  },
  {
    name: 'the second link of an anonymous id wins',
    patches: [
      {
        file: 'postgres/tables/identity-links.js',
        within: 'insertLinks',
        thing: { clause: 'do nothing' },
        becomes: 'do update set user_id = excluded.user_id, user_key = excluded.user_key',
      },
    ],
    faults: named(['kill gateway']),
    roles: LINKS,
    shows: 'links',
  },
]
