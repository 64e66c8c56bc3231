-- _index_later_partitions builds and attaches an index on partitions that were created after the
-- migration was generated. It cannot build CONCURRENTLY. It therefore starts with the smallest
-- partitions, and stops before their tables have 64 MB together. _record_index then names the
-- partitions without the index. It runs with the privileges of its caller.
CREATE OR REPLACE FUNCTION retention._index_later_partitions(p_schema text, p_index text) RETURNS void
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $function$
DECLARE v_lacking record; v_name text; v_bytes numeric := 0;
BEGIN
    FOR v_lacking IN
        SELECT n.nspname, c.relname, h.inhrelid::regclass AS partition, t.relid AS index, s.bytes,
               substr(pg_get_indexdef(t.relid),
                   length(format('CREATE INDEX %I ON ONLY %s', o.relname, i.indrelid::regclass)) + 1) AS definition
        FROM pg_partition_tree(to_regclass(format('%I.%I', p_schema, p_index))) t
        JOIN pg_index i ON i.indexrelid = t.relid JOIN pg_class o ON o.oid = t.relid
        JOIN pg_inherits h ON h.inhparent = i.indrelid JOIN pg_class c ON c.oid = h.inhrelid AND c.relkind IN ('r', 'p')
        JOIN pg_namespace n ON n.oid = c.relnamespace
        CROSS JOIN LATERAL (SELECT coalesce(sum(pg_relation_size(p.relid)), 0) AS bytes
            FROM pg_partition_tree(h.inhrelid) p) s
        WHERE NOT EXISTS (SELECT FROM pg_inherits a JOIN pg_index x ON x.indexrelid = a.inhrelid
                          WHERE a.inhparent = t.relid AND x.indrelid = h.inhrelid)
        ORDER BY s.bytes, n.nspname, c.relname
    LOOP
        v_bytes := v_bytes + v_lacking.bytes;
        EXIT WHEN v_bytes >= 64 * 1024 * 1024;
        -- Each character of the name is one byte. PostgreSQL cuts a name after 63 bytes, and must
        -- not cut off the hash.
        v_name := format('pgretain_%s_%s', left(regexp_replace(v_lacking.relname, '[^A-Za-z0-9_]', '_', 'g'), 32),
                         left(md5(p_index || v_lacking.partition), 8));
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %s%s', v_name, v_lacking.partition, v_lacking.definition);
        EXECUTE format('ALTER INDEX %s ATTACH PARTITION %I.%I', v_lacking.index, v_lacking.nspname, v_name);
    END LOOP;
END $function$;
