SELECT format('PostgreSQL %s, %s', current_setting('server_version'),
              string_agg(format('%s %s', s.name, current_setting(s.name)), ', ' ORDER BY s.name))
FROM pg_settings s
WHERE s.name IN ('fsync', 'full_page_writes', 'shared_buffers', 'max_wal_size', 'work_mem', 'wal_level',
                 'autovacuum', 'jit', 'synchronous_commit')
