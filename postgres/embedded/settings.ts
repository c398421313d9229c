/**
 * Settings of the embedded server: one small machine, few connections, little memory, full durability. They
 * are passed on the command line, so that an existing cluster gets those of the svc that starts it.
 */
export function serverSettings(port: number, durable: boolean): readonly string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 60,
    superuser_reserved_connections: 0,
    shared_buffers: '32MB',
    work_mem: '8MB',
    maintenance_work_mem: '32MB',
    huge_pages: 'off',
    // Containers give /dev/shm 64 MB, or nothing.
    dynamic_shared_memory_type: 'mmap',
    max_parallel_workers_per_gather: 0,
    io_method: 'sync',
    jit: 'off',
    autovacuum: 'on',
    autovacuum_max_workers: 2,
    fsync: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    // Even without syncing to disk, a kill must not lose a commit.
    synchronous_commit: 'on',
    // Nothing replicates from it.
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_logical_replication_workers: 0,
    min_wal_size: '32MB',
    max_wal_size: '256MB',
    logging_collector: 'off',
    log_checkpoints: 'off',
    log_min_messages: 'warning',
    // Its log contains no statements, so no values.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    timezone: 'UTC',
    log_timezone: 'UTC',
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** The role of svc, which is no superuser. Its database is the one that initdb creates. */
export const ROLE = 'svc'
/** The role that owns the system's own objects. It has no password, so it cannot log in. */
export const SUPERUSER = 'svc_superuser'
export const DATABASE = 'postgres'

/** Our own environment does not reach Postgres: PGDATA or a locale would change what it does. */
export const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' }
