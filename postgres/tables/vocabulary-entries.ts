import type { Sql, Transaction } from '../driver/client.js'

/** Written by people about an event name or a property. */
export interface VocabularyEntry {
  readonly description: string | null
  /** Of properties; event names are in `hidden-event-names.ts`. */
  readonly hidden: boolean
}

/** Fields that are left out stay. */
export interface VocabularyChange {
  readonly eventName: string
  /** Left out for the event name itself. */
  readonly property?: string
  readonly description?: string | null
  readonly hidden?: boolean
}

export const NO_ENTRY: VocabularyEntry = { description: null, hidden: false }

/** Descriptions by event name. */
export async function readDescriptions(
  sql: Sql,
  workspaceId: string,
  eventNames: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ eventName: string; description: string }[]>`
    select event_name as "eventName", description from vocabulary_entries
    where workspace_id = ${workspaceId} and property = '' and description is not null
      and event_name = any(${[...eventNames]})`
  return new Map(rows.map(({ eventName, description }) => [eventName, description]))
}

/** Event names whose description contains a text, in any case. */
export async function searchDescriptions(
  sql: Sql,
  workspaceId: string,
  text: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await sql<{ eventName: string }[]>`
    select event_name as "eventName" from vocabulary_entries
    where workspace_id = ${workspaceId} and property = '' and position(lower(${text}) in lower(description)) > 0
    order by event_name limit ${limit}`
  return rows.map(({ eventName }) => eventName)
}

/** The entries of an event's properties, by property. */
export async function readPropertyEntries(
  sql: Sql,
  workspaceId: string,
  eventName: string,
): Promise<ReadonlyMap<string, VocabularyEntry>> {
  const rows = await sql<({ property: string } & VocabularyEntry)[]>`
    select property, description, hidden from vocabulary_entries
    where workspace_id = ${workspaceId} and event_name = ${eventName} and property <> ''`
  return new Map(rows.map(({ property, ...entry }) => [property, entry]))
}

export async function findEntry(
  tx: Transaction,
  workspaceId: string,
  { eventName, property = '' }: Pick<VocabularyChange, 'eventName' | 'property'>,
): Promise<VocabularyEntry> {
  const [entry] = await tx<VocabularyEntry[]>`
    select description, hidden from vocabulary_entries
    where workspace_id = ${workspaceId} and event_name = ${eventName} and property = ${property}`
  return entry ?? NO_ENTRY
}

/** Returns the entry after the change. */
export async function writeEntry(
  tx: Transaction,
  workspaceId: string,
  { eventName, property = '', description, hidden }: VocabularyChange,
): Promise<VocabularyEntry> {
  const [entry = NO_ENTRY] = await tx<VocabularyEntry[]>`
    insert into vocabulary_entries as e (workspace_id, event_name, property, description, hidden)
    values (${workspaceId}, ${eventName}, ${property}, ${description ?? null}, ${hidden ?? false})
    on conflict (workspace_id, event_name, property) do update set
      description = case when ${description === undefined} then e.description else excluded.description end,
      hidden = case when ${hidden === undefined} then e.hidden else excluded.hidden end
    returning description, hidden`
  if (entry.description === null && !entry.hidden)
    await tx`
      delete from vocabulary_entries
      where workspace_id = ${workspaceId} and event_name = ${eventName} and property = ${property}`
  return entry
}

export async function countEntries(tx: Transaction, workspaceId: string): Promise<number> {
  const [row] = await tx<{ entries: number }[]>`
    select count(*)::int as entries from vocabulary_entries where workspace_id = ${workspaceId}`
  return row?.entries ?? 0
}
