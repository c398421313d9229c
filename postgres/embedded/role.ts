import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateFile } from '../../runtime/private-file.js'
import { giveTo } from './account.js'
import { PASSWORD_FILE } from './initialise.js'
import { failureOf, type Installation, spawnPostgres } from './installation.js'
import { DATABASE, ROLE, SUPERUSER, serverSettings } from './settings.js'

/** In the cluster, so that a copy of the cluster has it too. */
const DONE_FILE = 'svc-role-limited'
/** A server alone opens no port, but checks the setting. */
const UNUSED_PORT = 5_432

/**
 * Takes the superuser from the role of svc: a superuser reads any file that its server can read. `initdb` and
 * earlier versions give that name to the first role, which has to stay a superuser. So the first role gets
 * another name and no password, and a new role owns everything that svc has created. Does nothing the second
 * time.
 *
 * @returns what the server wrote if it failed
 */
export async function limitRole(installation: Installation): Promise<string | undefined> {
  const { cluster, account, durable } = installation
  const done = join(cluster, DONE_FILE)
  if (existsSync(done)) return undefined
  const password = readFileSync(join(cluster, PASSWORD_FILE), 'utf8').trim()
  const settings = [...serverSettings(UNUSED_PORT, durable), '-c', 'exit_on_error=on', '-j', DATABASE]
  const args = ['--single', '-D', cluster, ...settings]
  const child = spawnPostgres(installation, args, ['pipe', 'ignore', 'pipe'])
  // A program that has ended early is reported by its exit code.
  child.stdin?.on('error', () => {}).end(statements(password))
  const failure = await failureOf(child)
  if (failure !== undefined) return `${failure.output}\n${failure.end}`
  writePrivateFile(done, '', true)
  giveTo(account, done, false)
  return undefined
}

const OURS = "nspname <> 'information_schema' and nspname !~ '^pg_'"

/** An extension keeps its objects, and the sequence of a column follows its table. */
function isNoPart(alias: string, kinds = "'e'"): string {
  return `not exists (select from pg_depend d
      where classid = ${alias}.tableoid and objid = ${alias}.oid and objsubid = 0 and deptype in (${kinds}))`
}

/** One statement, so one transaction: a kill leaves the roles as they were or as they shall be. */
function statements(password: string): string {
  return `do $$
declare item record;
begin
  if (select rolname from pg_roles where oid = 10) <> '${ROLE}' then return; end if;
  -- A role cannot rename itself.
  create role svc_renames superuser;
  set session authorization svc_renames;
  alter role ${ROLE} rename to ${SUPERUSER};
  alter role ${SUPERUSER} password null;
  create role ${ROLE} login createdb password '${password.replaceAll("'", "''")}';
  alter database ${DATABASE} owner to ${ROLE};
  for item in
    select format('schema %I', nspname) as name from pg_namespace where nspowner = 10 and ${OURS}
    union all
    select format('table %s', c.oid::regclass) from pg_class c join pg_namespace n on n.oid = relnamespace
    where relowner = 10 and relkind in ('r', 'p', 'v', 'm', 'f') and ${OURS} and ${isNoPart('c')}
    union all
    select format('sequence %s', c.oid::regclass) from pg_class c join pg_namespace n on n.oid = relnamespace
    where relowner = 10 and relkind = 'S' and ${OURS} and ${isNoPart('c', "'e', 'a', 'i'")}
    union all
    select format('routine %s', p.oid::regprocedure) from pg_proc p join pg_namespace n on n.oid = pronamespace
    where proowner = 10 and ${OURS} and ${isNoPart('p')}
    union all
    select format('type %s', t.oid::regtype) from pg_type t join pg_namespace n on n.oid = typnamespace
    where typowner = 10 and typtype in ('e', 'd') and ${OURS} and ${isNoPart('t')}
  loop execute format('alter %s owner to ${ROLE}', item.name); end loop;
  set session authorization ${SUPERUSER};
  drop role svc_renames;
end $$;

`
}
