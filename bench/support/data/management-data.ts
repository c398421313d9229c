import { rmSync } from 'node:fs'
import { connectPostgres, type Sql } from '../../../postgres/driver/client.js'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../postgres/embedded/start.js'
import { migratePostgres } from '../../../postgres/migrate.js'
import { MigrationError } from '../../../runtime/migrations.js'

const WORKSPACES = 200
/** One row in twenty belongs to the large workspace. */
const LARGE_SHARE = 20
const BLOCK_ROWS = 50_000
const BEGIN = Date.UTC(2023, 10, 1)
const DAYS = 1_095

/** The workspace with a twentieth of all experiments. */
export const LARGE_WORKSPACE = workspaceId(0)
export const LARGE_OWNER = personId(0)

/** Creation times of the bench's rows: evenly over three years. */
export const MANAGEMENT_DATA_TIMES = { begin: BEGIN, end: BEGIN + DAYS * 86_400_000 } as const

function workspaceId(n: number): string {
  return `01990000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
}

function personId(n: number): string {
  return `01990000-0000-7000-9000-${n.toString(16).padStart(12, '0')}`
}

/** An embedded Postgres in the folder with this many experiments; keeps those of an earlier run. */
export async function openManagementData(
  folder: string,
  rows: number,
  onProgress: (text: string) => void,
): Promise<EmbeddedPostgres> {
  const isUsable = await holds(folder, rows).catch((error: unknown) => {
    // Created under an older schema.
    if (error instanceof MigrationError) return false
    throw error
  })
  if (!isUsable) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    await make(folder, rows, onProgress)
  }
  return await startEmbeddedPostgres({ dataDir: folder })
}

function connect(url: string): Sql {
  return connectPostgres({
    url,
    applicationName: 'svc bench data',
    maxConnections: 1,
    statementMs: 1_800_000,
  })
}

/** Whether the rows exist, under today's schema, without writes of an earlier run. */
async function holds(folder: string, rows: number): Promise<boolean> {
  const postgres = await startEmbeddedPostgres({ dataDir: folder, durable: false })
  const sql = connect(postgres.url)
  try {
    await migratePostgres(sql)
    await sql`delete from experiments where created_at >= ${new Date(MANAGEMENT_DATA_TIMES.end)}`
    await withoutAuditTrigger(sql, () => sql`delete from audit_entries`)
    await sql`delete from api_keys`
    await sql`delete from idempotency_records`
    const [found] = await sql<{ rows: number; areIndexed: boolean }[]>`
      select count(*)::int as rows, not exists (select from pg_index where not indisvalid) as "areIndexed" from experiments`
    if (found?.rows !== rows || !found.areIndexed) return false
    await settle(sql)
    return true
  } finally {
    await sql.end({ timeout: 1 })
    await postgres.stop()
  }
}

/** Audit entries cannot be removed. Here they are an earlier run's. */
async function withoutAuditTrigger(sql: Sql, work: () => PromiseLike<unknown>): Promise<void> {
  await sql`alter table audit_entries disable trigger audit_entries_append_only`
  await work()
  await sql`alter table audit_entries enable always trigger audit_entries_append_only`
}

/** Vacuums, so that no figure includes that work. */
async function settle(sql: Sql): Promise<void> {
  await sql`vacuum (analyze) experiments`
  await sql`vacuum (analyze) experiment_lines`
  await sql`vacuum (analyze) experiment_figures`
  await sql`vacuum (analyze) experiment_counts`
  await sql`vacuum (analyze) audit_entries`
  await sql`vacuum (analyze) idempotency_records`
}

async function make(folder: string, rows: number, onProgress: (text: string) => void): Promise<void> {
  // A power cut loses only what can be created again.
  const postgres = await startEmbeddedPostgres({ dataDir: folder, durable: false })
  const sql = connect(postgres.url)
  try {
    await migratePostgres(sql)
    await withoutAuditTrigger(sql, () => sql`truncate workspaces cascade`)
    await sql`select set_config('maintenance_work_mem', '512MB', false)`
    await sql`
      insert into workspaces (id, name, created_at)
      select ('01990000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'Workspace ' || n, now()
      from generate_series(0, ${WORKSPACES - 1}::int) n`
    await sql`
      insert into people (id, workspace_id, name, email, is_owner, created_at)
      select ('01990000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, ('01990000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
        'Owner ' || n, 'owner-' || n || '@example.com', true, now()
      from generate_series(0, ${WORKSPACES - 1}::int) n`
    // Creating one index after the other is quicker than updating all row by row.
    const indexes = await sql<{ name: string; definition: string }[]>`
      select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as definition from pg_indexes
      where schemaname = 'public' and tablename in ('experiments', 'experiment_lines', 'experiment_figures')
        and indexname not in ('experiments_pkey', 'experiments_key', 'experiment_lines_pkey', 'experiment_figures_pkey')`
    for (const { name } of indexes) await sql`drop index ${sql(name)}`
    await sql`alter table experiments disable trigger experiments_write_line`
    await sql`alter table experiments disable trigger experiments_write_facets`
    await sql`alter table experiment_measurements disable trigger experiment_measurements_write_figures`
    for (let from = 0; from < rows; from += BLOCK_ROWS) {
      const to = Math.min(from + BLOCK_ROWS, rows)
      await insertRuns(sql, from, to, rows)
      await insertExperiments(sql, from, to, rows)
      onProgress(`${(to / 1e6).toFixed(2)} of ${(rows / 1e6).toFixed(2)} million experiments made`)
    }
    const columns = await sql<{ name: string }[]>`
      select attname as name from pg_attribute
      where attrelid = 'experiment_lines'::regclass and attnum > 0 and not attisdropped and attname not in ('facets', 'name')`
    const names = sql(columns.map(({ name }) => name))
    await sql`
      insert into experiment_lines (${names}, name, facets)
      select ${names}, fold_name(name), experiment_facets(status, priority_rank, origin, kind, test_type, rejected_stage, has_pr) from experiments`
    await sql`alter table experiments enable trigger experiments_write_line`
    onProgress('lines made')
    await sql`
      insert into experiment_measurements (experiment_id, workspace_id, users_exposed, estimated_lift, confidence, measured_at)
      select id, workspace_id, (hashtextextended(key, 1) & 65535)::int % 40000, round(((hashtextextended(key, 2) & 4095) - 1500) / 10000.0, 4),
        ((hashtextextended(key, 3) & 65535) % 10000) / 10000.0, started_at + interval '14 days'
      from experiments where started_at is not null`
    await sql`
      insert into experiment_figures (workspace_id, id, created_at, facets, users_exposed, estimated_lift, confidence)
      select l.workspace_id, l.id, l.created_at, l.facets, m.users_exposed, m.estimated_lift, m.confidence
      from experiment_lines l left join experiment_measurements m on m.experiment_id = l.id`
    await sql`alter table experiments enable trigger experiments_write_facets`
    await sql`alter table experiment_measurements enable trigger experiment_measurements_write_figures`
    onProgress('measurements made')
    for (const [i, { name, definition }] of indexes.entries()) {
      await sql.unsafe(definition)
      onProgress(`index ${i + 1} of ${indexes.length}: ${name}`)
    }
    await settle(sql)
  } finally {
    await sql.end({ timeout: 1 })
    await postgres.stop()
  }
}

/** Columns that depend on a row's number only, so that every run has the same. */
function numbered(sql: Sql, from: number, to: number, rows: number) {
  return sql`
    select n, hashint8extended(n, 1) & 9223372036854775807 as a, hashint8extended(n, 2) & 9223372036854775807 as b,
      hashint8extended(n, 3) & 9223372036854775807 as c, hashint8extended(n, 4) & 9223372036854775807 as d,
      case when n % ${LARGE_SHARE} = 0 then 0 else 1 + ((hashint8extended(n, 5) & 9223372036854775807) % ${WORKSPACES - 1}) end as w,
      ${BEGIN}::bigint + n * (${DAYS * 86_400_000}::bigint / ${rows}::bigint) as ms
    from generate_series(${from}::bigint, ${to - 1}::bigint) n`
}

/** One run per workspace and day. */
async function insertRuns(sql: Sql, from: number, to: number, rows: number): Promise<void> {
  await sql`
    insert into generation_runs (id, workspace_id, status, requested, generated, survived, created_at)
    select distinct md5(w || ' ' || ms / 86400000)::uuid, ('01990000-0000-7000-8000-' || lpad(to_hex(w), 12, '0'))::uuid, 'succeeded', 20, 20, 10,
      to_timestamp((ms / 86400000) * 86400)
    from (${numbered(sql, from, to, rows)}) as numbered
    on conflict do nothing`
}

/**
 * Experiments in order of creation with mixed workspaces: seven of ten generated, most settled; texts of two
 * to four hundred letters, "conversion" in every hypothesis, a ticket number in a third of the notes.
 */
async function insertExperiments(sql: Sql, from: number, to: number, rows: number): Promise<void> {
  await sql`
    insert into experiments (id, workspace_id, key, name, mechanism, notes, hypothesis, search_text, kind, test_type, status, priority,
      origin, experiment_run_id, variants, conversion_targets, surfaces, changes, pull_request, rejected_stage, decision_outcome, settles_at,
      created_at, updated_at, started_at, ended_at)
    select (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
      ('01990000-0000-7000-8000-' || lpad(to_hex(w), 12, '0'))::uuid,
      key, name, mechanism, notes, hypothesis,
      lower(concat_ws(chr(31), name, key, mechanism, notes, hypothesis)),
      case when a % 7 = 0 then 'feature' else 'experiment' end,
      case when b % 10 = 0 then 'message' else 'dom' end,
      status,
      (array['low', 'low', 'low', 'medium', 'medium', 'medium', 'medium', 'medium', 'high', 'high'])[1 + c % 10],
      case when generated then 'generated' else 'api' end,
      case when generated then md5(w || ' ' || ms / 86400000)::uuid end,
      '[{"key": "control", "displayName": "Control", "trafficSplit": 50}, {"key": "treatment", "displayName": "Treatment", "trafficSplit": 50}]',
      '[{"eventName": "order_paid", "name": "Paid", "direction": "increase", "windowHours": 72, "filters": []}]',
      jsonb_build_array(jsonb_build_object('path', 'src/pages/page-' || d % 3000 || '.html', 'anchor', '#part-' || a % 40)),
      case when generated then jsonb_build_array(jsonb_build_object('path', 'src/pages/page-' || d % 3000 || '.html', 'action', 'modify',
        'edits', jsonb_build_array(jsonb_build_object('find', 'Buy now', 'replace', 'Order')))) else '[]' end,
      case when status not in ('proposed', 'dismissed', 'approved', 'generating_pr', 'pr_failed') then
        jsonb_build_object('number', n, 'url', null, 'branch', 'svc/' || key, 'state', 'merged', 'error', null) end,
      case when status = 'rejected' then case when c % 4 = 0 then 'pr' else 'outcome' end end,
      case when status = 'settling' then 'ship' end,
      case when status = 'settling' then to_timestamp(ms / 1000.0) + interval '10 years' end,
      to_timestamp(ms / 1000.0),
      to_timestamp(ms / 1000.0) + make_interval(mins => (d % 60000)::int),
      case when started then to_timestamp(ms / 1000.0) + make_interval(mins => (d % 4000)::int) end,
      case when started and status not in ('running', 'paused') then to_timestamp(ms / 1000.0) + make_interval(mins => (d % 40000)::int) end
    from (
      select *, lower(replace(name, ' ', '-')) || '-' || to_hex(n) as key,
        status in ('running', 'paused', 'ended', 'settling', 'shipped', 'concluded') or (status = 'rejected' and c % 4 > 0) as started
      from (
        select *, a % 10 < 7 as generated,
          case when d % 100 < 15 then 'proposed' when d % 100 < 35 then 'dismissed' when d % 100 < 38 then 'approved' when d % 100 < 40 then 'pr_failed'
            when d % 100 < 42 then 'pr_open' when d % 100 < 43 then 'ready' when d % 100 < 47 then 'running' when d % 100 < 48 then 'paused'
            when d % 100 < 51 then 'ended' when d % 100 < 52 then 'settling' when d % 100 < 67 then 'shipped' when d % 100 < 92 then 'rejected'
            else 'concluded' end as status,
          (array['Shorter', 'Sticky', 'Clearer', 'Larger', 'Quieter', 'Bolder', 'Animated', 'Personal', 'Localised', 'Collapsed',
            'Inline', 'Floating', 'Dark', 'Lazy', 'Guided', 'Minimal'])[1 + a / 7 % 16] || ' ' ||
          (array['checkout form', 'search box', 'product gallery', 'price table', 'sign-up dialog', 'navigation bar', 'cart drawer', 'hero banner',
            'trust badges', 'review list', 'delivery estimate', 'coupon field', 'size guide', 'wish list', 'payment step', 'newsletter box',
            'cookie notice', 'footer links', 'category filter', 'stock notice', 'gift options', 'address entry', 'order summary', 'live chat'])[1 + b / 7 % 24]
            || ' for ' ||
          (array['mobile visitors', 'returning customers', 'new visitors', 'tablet users', 'business accounts', 'logged-in members',
            'visitors from ads', 'gift buyers', 'subscribers', 'students', 'large carts', 'empty carts'])[1 + c / 7 % 12] as name,
          'Moves the ' || (array['main button', 'total', 'first image', 'progress bar', 'error message', 'headline', 'discount', 'contact link', 'summary', 'rating'])[1 + a / 120 % 10] ||
          ' ' || (array['above the fold', 'next to the price', 'below the title', 'into a side panel', 'behind a toggle', 'to the top', 'into the header', 'beside the photo'])[1 + b / 200 % 8] ||
          ' so that people ' || (array['find it sooner', 'scroll less', 'type less', 'compare faster', 'see what comes next', 'trust the page', 'do not get lost', 'finish in one go'])[1 + c / 100 % 8] as mechanism,
          case when d % 3 = 0 then 'Ticket EXP-' || n || ', asked for by ' ||
            (array['sales', 'support', 'design', 'the board', 'marketing', 'research', 'finance', 'logistics'])[1 + a / 1200 % 8] else '' end as notes,
          'We believe that this raises conversion by ' || 1 + d / 100 % 9 || '% among people who ' ||
          (array['leave at the last step', 'come back within a week', 'read reviews first', 'use a slow network', 'share their screen', 'order for a team',
            'look for a gift', 'wait for a sale', 'pay by invoice', 'shop at night'])[1 + b / 1900 % 10] ||
          ', as seen in study ' || to_hex(c % 5000) as hypothesis
        from (${numbered(sql, from, to, rows)}) as numbered
      ) as worded
    ) as keyed`
}
