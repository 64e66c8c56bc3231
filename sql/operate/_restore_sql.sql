-- _restore_sql returns two statements for one element of policy.restores. Rows are identified by
-- their printed keys. If several archived rows have one key, the last one is restored. Raises 55000
-- if the table's columns or key have changed.
-- Statement kept finds the rows that a run kept in the archive, without held ones. Its parameters:
-- - $1: the run
-- - $2: the time at which holds are in force
-- - $3: the key of a single row, or NULL
-- Statement back restores rows and holds them. Its parameters:
-- - $1, $2: OIDs of tables and ctids of the archived rows
-- - $3: the time until which the rows are held
-- - $4: the reason of the holds
-- - $5: the present time
CREATE OR REPLACE FUNCTION retention._restore_sql(p_source jsonb, OUT kept text, OUT back text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_table CONSTANT regclass := retention._table(p_source ->> 'table');
    v_from CONSTANT regclass := retention._table(p_source ->> 'from');
    v_document CONSTANT text := quote_ident(p_source ->> 'document');
    v_undo CONSTANT boolean := p_source ? 'set'; v_stays CONSTANT boolean := p_source ? 'stays';
    v_key CONSTANT text[] := ARRAY(SELECT jsonb_array_elements_text(p_source -> 'key')); v_named text; v record;
    v_logical CONSTANT oid[] := retention._distributed_table(ARRAY[v_table::oid]);
    v_root CONSTANT oid := coalesce(pg_partition_root(v_from), v_from);
BEGIN
    SELECT string_agg(format('column %I is %s, was %s', c.name, coalesce(a.type, 'gone'), c.type), ', ')
               FILTER (WHERE a.type IS NULL OR a.type <> c.type AND a.type NOT LIKE '%.' || c.type
                             -- The type may be spelled as in the policy file.
                             AND CASE WHEN a.type || c.type LIKE '% generated%' THEN true
                                 ELSE to_regtype(c.type) IS DISTINCT FROM a.atttypid
                                     OR replace(substring(c.type, '\(.*\)'), ' ', '')
                                      IS DISTINCT FROM substring(a.type, '\(.*\)') END) AS differs,
           string_agg(format(CASE WHEN v_undo THEN 'a.key[%s]' WHEN v_document IS NULL THEN 'a.%5$I' ELSE 'd.%2$I' END
               || '::%3$s AS c%4$s', k.n, c.name, format_type(a.atttypid, -1), a.attnum,
               coalesce(p_source -> 'names' ->> c.name, c.name)), ', ')
               FILTER (WHERE k.n > 0 OR NOT v_undo AND a.attgenerated = '') AS "values",
           string_agg(quote_ident(c.name), ', ' ORDER BY a.attnum) FILTER (WHERE a.attgenerated = '') AS names,
           string_agg('s.c' || a.attnum, ', ' ORDER BY a.attnum) FILTER (WHERE a.attgenerated = '') AS given,
           string_agg(format('t.%I = s.c%s', c.name, a.attnum), ' AND ') FILTER (WHERE k.n > 0) AS same_row,
           string_agg(format('%L, retention._canonical(v.c%s)', c.name, a.attnum), ', ')
               FILTER (WHERE k.n > 0) AS match_kept,
           string_agg(format('v.c%s %s ($3 ->> %L)::%s', a.attnum, retention._equality_operator(a.atttypid), c.name,
               format_type(a.atttypid, -1)), ' AND ') FILTER (WHERE k.n > 0) AS asked,
           string_agg(format('%L, retention._canonical(t.%1$I)', c.name), ', ') FILTER (WHERE k.n > 0) AS match_back,
           array_agg(c.name) AS known
    INTO v FROM jsonb_each_text(p_source -> 'columns') c (name, type)
    LEFT JOIN (SELECT x.*, concat_ws(' ', format_type(x.atttypid, x.atttypmod),
        CASE WHEN x.attgenerated <> '' THEN 'generated' END) AS type
               FROM pg_attribute x WHERE x.attrelid = v_table AND x.attnum > 0 AND NOT x.attisdropped) a
                   ON a.attname = c.name
    LEFT JOIN unnest(v_key) WITH ORDINALITY k (name, n) ON k.name = c.name;
    IF v.differs IS NOT NULL OR v_key <> retention._key_columns(v_table) THEN
        RAISE object_not_in_prerequisite_state USING MESSAGE = format('table %s has changed: %s', v_table,
                coalesce(v.differs, 'it has another key')),
            HINT = 'Run "pgretain snapshot" and "pgretain generate", and migrate. '
                   'Without the migration nothing can be restored.';
    END IF;
    v_named := format('%s CROSS JOIN LATERAL (SELECT %s) v
                       CROSS JOIN LATERAL (SELECT jsonb_build_object(%s) AS match) m',
        'CROSS JOIN LATERAL jsonb_populate_record(NULL::' || v_table || ', a.' || v_document || ') d',
        v.values || CASE WHEN v_undo THEN ', a.written' ELSE '' END, v.match_kept);
    kept := format(
        'WITH x AS MATERIALIZED (
             SELECT row_number() OVER ()::integer AS n, a.tableoid AS rel, a.ctid AS tid, true%s AS fits FROM %s a
             WHERE a.%I = $1%s
               AND ($3::jsonb IS NULL OR EXISTS (SELECT FROM (SELECT) o %s WHERE %s))
         ), held AS MATERIALIZED (
             SELECT unnest(retention._held_here(%s, array_agg(x.n), array_agg(x.rel), array_agg(x.tid), $2)) AS n
             FROM x WHERE NOT %L AND EXISTS (
                 SELECT FROM retention.hold h WHERE h.released_at IS NULL AND (
                     h.rel = ANY (retention._hold_owners(ARRAY[%s]::oid[])) OR h.table_name = retention._table_name(%s))))
         SELECT count(*) AS found, coalesce(array_agg(x.rel) FILTER (WHERE x.loose), ''{}'') AS rels,
                coalesce(array_agg(x.tid) FILTER (WHERE x.loose), ''{}'') AS tids
         FROM (SELECT x.*, x.fits AND x.n NOT IN (SELECT h.n FROM held h) AS loose FROM x) x',
        ' AND a.' || v_document || format(' - %L::text[] = ''{}''', v.known), v_from, p_source ->> 'run',
        (SELECT string_agg(format(' AND a.%I IS NOT DISTINCT FROM (%s)', s.key, s.value), '')
            FROM jsonb_each_text(p_source -> 'same') s), v_named, v.asked,
        v_root, v_stays, v_root, v_root);
    back := format(
        'WITH source AS (
             SELECT DISTINCT ON (m.match) x.rel, x.tid, m.match, v.* FROM unnest($1::oid[], $2::tid[]) x (rel, tid)
             JOIN %1$s a ON a.tableoid = x.rel AND a.ctid = x.tid %2$s ORDER BY m.match, x.rel, x.tid DESC
         ), back AS (
             %3$s RETURNING jsonb_build_object(%4$s) AS match
         ), held AS (
             INSERT INTO retention.hold (table_name, rel, columns, attnums, types, match, reason, until, row_seen)
             SELECT c.table_name, %5$L::regclass, %6$L::text[], c.attnums, c.types, b.match, $4, $3, %8$L
             FROM back b CROSS JOIN LATERAL retention._held_columns(%5$L::regclass, %6$L, b.match) c
         )%7$s
         SELECT count(*) AS rows, NOT coalesce(bool_and(b.match IN (SELECT s.match FROM source s)), true)%9$s AS others
             FROM back b',
        v_from, v_named, CASE WHEN v_undo
             THEN format('UPDATE %s t SET %s FROM source s WHERE %s AND to_jsonb(t) || s.written = to_jsonb(t)',
                 v_table, (SELECT string_agg(format('%I = (%s)', s.key, s.value), ', ')
                             FROM jsonb_each_text(p_source -> 'set') s), v.same_row)
             ELSE format('INSERT INTO %1$s AS t (%2$s) OVERRIDING SYSTEM VALUE SELECT %3$s
                 FROM source s WHERE NOT EXISTS (SELECT FROM %1$s t WHERE %4$s)',
                 v_table, v.names, v.given, v.same_row) END,
        v.match_back, v_logical[cardinality(v_logical)]::regclass, v_key,
        CASE WHEN NOT v_stays THEN format(', gone AS (DELETE FROM %s a USING source s JOIN back b ON b.match = s.match
             WHERE a.tableoid = s.rel AND a.ctid = s.tid RETURNING 1)', v_from) END,
        cardinality(v_logical) = 1, CASE WHEN NOT v_stays THEN ' OR (SELECT count(*) FROM gone) <> count(*)' END);
END $function$;
