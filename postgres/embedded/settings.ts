/**
 * Settings of the embedded server: one small machine, few connections, little memory, nothing given up in durability. They are passed
 * on the command line, so that an existing cluster gets those of the svc that starts it.
 */
export function serverSettings(port: number, durable: boolean): readonly string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 60,
    shared_buffers: '32MB',
    work_mem: '8MB',
    maintenance_work_mem: '32MB',
    huge_pages: 'off',
    // Containers give /dev/shm 64 MB or none at all.
    dynamic_shared_memory_type: 'mmap',
    max_parallel_workers_per_gather: 0,
    io_method: 'sync',
    jit: 'off',
    autovacuum: 'on',
    autovacuum_max_workers: 2,
    fsync: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    // Also where nothing is synchronised to the disk: a kill must take nothing that was committed.
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
    // No statement, so no value, is written to its log.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    timezone: 'UTC',
    log_timezone: 'UTC',
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Name of the superuser; its database is the one initdb makes. */
export const SUPERUSER = 'svc'
export const DATABASE = 'postgres'

/** Nothing of our own environment reaches Postgres: PGDATA or a locale of the caller's would change what it does. */
export const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' }
