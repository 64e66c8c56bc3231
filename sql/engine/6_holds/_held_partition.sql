-- _held_partition reports whether a partition has a held row. It returns true if it cannot
-- determine this. It reads the rows within the partition's bounds through the root, because the
-- worker has privileges on the root.
CREATE OR REPLACE FUNCTION retention._held_partition(p_partition oid, p_as_of timestamptz) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT CASE WHEN EXISTS (SELECT FROM retention.hold h WHERE h.released_at IS NULL)
        THEN retention._is_any_held(format('(SELECT * FROM %s WHERE %s)', r.root::regclass,
            coalesce(pg_get_partition_constraintdef(p_partition), 'true')), r.root, ARRAY[r.root], p_as_of, false)
        ELSE false END
    FROM (SELECT coalesce(pg_partition_root(p_partition), p_partition)::oid AS root) r
$function$;
