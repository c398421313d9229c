// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of compiled code
import type { AllInOne } from './all-in-one.js'
import type { ClientRole } from './clients.js'
import { FAULTS, type Fault, faultAt, faultsNamed } from './faults.js'
import type { Patch } from './mutate.js'
import type { System } from './system.js'
import type { FAULTY } from './verify.js'

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
        file: 'consumers/pipeline/deduplicate.js',
        from: 'const known = seen.has(w0, w1, w2, w3);',
        to: 'const known = 0;',
      },
    ],
    faults: named(['kill gateway']),
    shows: 'doubled',
  },
  {
    name: 'an insertId earlier in the same block is not looked for',
    patches: [
      {
        file: 'consumers/pipeline/deduplicate.js',
        from: '!pending.add(hashes, row, record.month)',
        to: '(pending.add(hashes, row, record.month), false)',
      },
    ],
    faults: named(['kill gateway']),
    shows: 'doubled',
  },
  {
    name: 'what is stored is forgotten with a restart',
    patches: [{ file: 'consumers/dedup/seen-ids.js', from: 'await fillFromStore(', to: 'void (' }],
    faults: named(['kill all']),
    shows: 'doubled',
  },
  {
    name: 'insertIds count as stored before the insert has succeeded',
    patches: [
      {
        file: 'consumers/pipeline/pipeline.js',
        from: 'deduplicateRows(block, record, ids);',
        to: 'deduplicateRows(block, record, ids); rememberRows(block, record, ids.seen);',
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
        file: 'consumers/partition/checkpoint.js',
        from: 'done_offset = ${from},',
        to: 'done_offset = ${to},',
      },
      {
        file: 'consumers/partition/checkpoint.js',
        from: 'open_to = ${to}, open_token = ${token},',
        to: 'open_to = null, open_token = null,',
      },
    ],
    faults: named(['consumer:intent-written']),
    shows: 'lost',
  },
  {
    name: 'the log forgets a block before its insert',
    patches: [
      {
        file: 'consumers/partition/store.js',
        from: 'await release(deps, own, block.from);',
        to: "await release(deps, own, block.to); await deps.faultPoint('consumer:released');",
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
        from: 'insert_deduplication_token: token,',
        to: 'insert_deduplication_token: token + Date.now(),',
      },
    ],
    faults: named(['consumer:inserted']),
    shows: 'doubled',
  },
]

/** What is acknowledged is durable, and whole. */
export const ENTRY_MUTATIONS: readonly Mutation<AllInOne>[] = [
  {
    name: 'a request is answered before it is durable',
    patches: [
      {
        file: 'ingest/append/append.js',
        from: 'await log.append(groupRecords);',
        to: 'void log.append(groupRecords);',
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
        from: "error instanceof LogUnavailableError ? 'unavailable' : 'unknown'",
        to: "'unavailable'",
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
        from: 'this.putRecords(take(), offsets);',
        to: `later = take();
                this.putRecords(later.filter(({ partition }) => partition < this.partitions), offsets);
                later = later.filter(({ partition }) => partition >= this.partitions);
            });
            if (later.length > 0) this.options.faultPoint?.('log:between');
            await this.database.childTransaction(() => {
                this.putRecords(later, this.readOffsets());`,
      },
      {
        file: 'log/embedded/log.js',
        from: 'await this.checkSpace();',
        to: 'await this.checkSpace(); let later = [];',
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
        file: 'consumers/identity/identity.js',
        from: `insert into link_outbox (workspace_id, anonymous_key, user_key)
    select workspace_id, anonymous_key, user_key from fresh`,
        to: 'select workspace_id, anonymous_key, user_key from fresh',
      },
      {
        file: 'consumers/identity/identity.js',
        from: "await deps.faultPoint('identity:linked');",
        to: `await deps.faultPoint('identity:linked');
            await sql\`insert into link_outbox (workspace_id, anonymous_key, user_key)
              select l.workspace_id, l.anonymous_key, l.user_key
              from unnest(\${pairs.workspaces}::uuid[], \${pairs.anonymousIds}::text[]) as p (w, a)
              join identity_links l on l.workspace_id = p.w and l.anonymous_id = p.a\`;`,
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
        file: 'consumers/identity/identity.js',
        from: 'on conflict (workspace_id, anonymous_id) do nothing',
        to: 'on conflict (workspace_id, anonymous_id) do update set user_id = excluded.user_id, user_key = excluded.user_key',
      },
    ],
    faults: named(['kill gateway']),
    roles: LINKS,
    shows: 'links',
  },
]
