-- Makes the privileges of all in the schema what this list and the registry's grants say; every migration calls it
-- last. Skips what belongs to an extension, and, unless listed, to other owners. "application" keeps what was granted
-- by hand, unless default privileges would give it. OWNER: the function belongs to that role, which has EXECUTE on all
-- that run as their caller. Nothing is known of the lists' sizes: no nested loops.
CREATE OR REPLACE FUNCTION retention._close() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET jit = off AS $function$
DECLARE v_statement text;
BEGIN
    FOR v_statement IN
        WITH named (word, name) AS (VALUES
            ('owner', 'retention_owner'), ('worker', 'retention_worker'), ('runner', 'retention_runner'),
            ('operator', 'retention_operator'), ('viewer', 'retention_viewer')
        ), listed AS (
            SELECT w.word, l.privilege, n.name FROM (VALUES
                ('application', 'EXECUTE', 'take_events window_of'), ('operator', 'EXECUTE',
                    'accept adopt pause place_hold release_hold restore resume set_window take_events'),
                ('worker', 'OWNER', '_batch _look _prepare _restore'), ('worker', 'EXECUTE',
                    '_held_partition _held_rows _holds _unfit_hold _untrusted window_of'),
                ('operator viewer', 'EXECUTE', '_held_partition _held_rows _holds'),
                ('owner runner operator viewer', 'EXECUTE', '_cron_attempts _cron_jobs'), ('runner operator', 'EXECUTE',
                    '_begin _bell _cron_log_not_purged _drive _interrupted _job _job_outcome _nap _outcome _purge
                     _purge_cron_log _purge_log _refuse_transaction _ring _step preview_job run run_job settle'),
                ('runner operator viewer', 'EXECUTE',
                    '_backlog _copy _count _cron_setting _cutoff _cutoff_of _epoch_ms _local_floor _lost_rows
                     _partitions _paused _plans _sequences_behind _slice _snowflake_floor _table_name
                     _table_rows _ulid_floor _under_way _unexpected _unfit_hold _uuid_floor _window_fault _window_set
                     ask at blast_radius facts health partitions preview why window_of'),
                ('worker', 'INSERT', 'claim event hold undo'), ('worker', 'UPDATE', 'undo'),
                ('worker', 'DELETE', 'undo'), ('worker operator', 'SELECT', 'undo'),
                ('worker runner operator viewer', 'SELECT',
                    'backlog batch claim event goose_db_version hold index_definition install job metrics policy
                     progress report restored run run_group setting setting_change status total words')
            ) l (words, privilege, names), regexp_split_to_table(l.words, '\s+') w (word),
                regexp_split_to_table(l.names, '\s+') n (name)
            UNION ALL  -- of policies and reports
            SELECT w.word, 'EXECUTE', p.name || '_' || n.name
            FROM retention.policy p, (VALUES ('operator viewer', 'report rows'),
                ('worker', 'drop_table partition share'),
                                             ('operator', 'advance claim cursor seen touch')) l (words, names),
                 regexp_split_to_table(l.words, '\s+') w (word), regexp_split_to_table(l.names, '\s+') n (name)
            UNION ALL SELECT w.word, w.privilege, c.relname
            FROM retention.policy p, unnest(p.owns) o (name), pg_class c, (VALUES ('operator', 'SELECT'),
                ('viewer', 'SELECT'), ('worker', 'SELECT'), ('worker', 'INSERT'),
                ('worker', 'DELETE')) w (word, privilege)
            WHERE c.oid = to_regclass(o.name)
            UNION ALL SELECT 'worker', 'OWNER', p.name || '_' || w.word
            FROM retention.policy p, unnest('{advance,claim,cursor,seen,touch}'::text[]) w (word)
        ), home AS (
            SELECT c.relnamespace AS oid, c.relowner AS owner FROM pg_class c WHERE c.oid = 'retention.policy'::regclass
        ), object AS MATERIALIZED (
            SELECT x.kind, x.id, x.name, x.owner, x.acl, x.invoker, coalesce(w.oid, x.owner) AS next_owner FROM (
            SELECT 'pg_class'::regclass AS class, CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind,
                c.oid AS id, c.relname AS name, c.relowner AS owner, false AS invoker,
                   coalesce(c.relacl, acldefault((CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END)::"char",
                       c.relowner)) AS acl
            FROM pg_class c WHERE c.relnamespace = (SELECT h.oid FROM home h)
              AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
            UNION ALL SELECT 'pg_proc'::regclass, 'ROUTINE', p.oid, p.proname, p.proowner,
                NOT p.prosecdef AND p.prokind = 'f' AND p.proowner = (SELECT h.owner FROM home h),
                coalesce(p.proacl, acldefault('f', p.proowner))
            FROM pg_proc p WHERE p.pronamespace = (SELECT h.oid FROM home h)
            UNION ALL SELECT 'pg_type'::regclass, 'TYPE', t.oid, t.typname, t.typowner, false,
                coalesce(t.typacl, acldefault('T', t.typowner))
            FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
            WHERE t.typnamespace = (SELECT h.oid FROM home h) AND (c.relkind = 'c' OR t.typtype IN ('d', 'e', 'r'))
            ) x
            LEFT JOIN pg_roles w ON w.rolname = 'retention_worker' AND x.kind = 'ROUTINE'
                AND x.name IN (SELECT l.name FROM listed l WHERE l.privilege = 'OWNER')
            WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = x.class AND d.objid = x.id AND d.deptype = 'e')
        ), wanted AS MATERIALIZED (
            SELECT o.kind, o.id, r.grantee, l.privilege
            FROM listed l JOIN named n ON n.word = l.word
            CROSS JOIN LATERAL (SELECT nullif(n.name, '')::regrole::oid AS grantee) r
            JOIN object o ON o.name = l.name
                AND o.kind = CASE l.privilege WHEN 'EXECUTE' THEN 'ROUTINE' ELSE 'TABLE' END
            WHERE r.grantee <> o.next_owner AND l.privilege <> 'OWNER'
            UNION SELECT o.kind, o.id, w.oid, 'EXECUTE' FROM object o JOIN pg_roles w ON w.rolname = 'retention_worker'
            WHERE o.invoker AND o.next_owner <> w.oid
            UNION SELECT o.kind, o.id, r.grantee, 'EXECUTE'
            FROM retention.policy p CROSS JOIN jsonb_each(p.grants) g (word, roles)
            JOIN object o ON o.kind = 'ROUTINE' AND o.name = p.name || '_' || g.word
            CROSS JOIN LATERAL (SELECT quote_ident(e.name)::regrole::oid AS grantee
                FROM jsonb_array_elements_text(g.roles) e (name)) r
            WHERE r.grantee <> o.next_owner
            UNION ALL SELECT o.kind, o.id, 0, 'USAGE' FROM object o WHERE o.kind = 'TYPE'
        ), live AS MATERIALIZED ( -- what others granted on goes with the right to do that
            SELECT o.kind, o.id, o.name, o.owner, x.grantee, x.privilege_type AS privilege, x.is_grantable
            FROM object o, aclexplode(o.acl) x WHERE x.grantee NOT IN (o.owner, o.next_owner) AND x.grantor = o.owner
        ), change AS (
            SELECT 'REVOKE' AS verb, l.kind, l.id, l.grantee, l.privilege
            FROM live l LEFT JOIN wanted w USING (kind, id, grantee, privilege)
            WHERE l.is_grantable OR w.id IS NULL AND NOT (l.grantee <> 0 AND EXISTS (
                SELECT FROM listed a WHERE a.word = 'application' AND a.name = l.name AND a.privilege = l.privilege)
                AND NOT EXISTS (SELECT FROM pg_default_acl d, aclexplode(d.defaclacl) x
                                WHERE d.defaclrole = l.owner AND d.defaclobjtype = 'f' AND x.grantee = l.grantee))
            UNION ALL SELECT 'GRANT', w.kind, w.id, w.grantee, w.privilege FROM wanted w LEFT JOIN live l
                ON (l.kind, l.id, l.grantee, l.privilege, l.is_grantable) = (w.kind, w.id, w.grantee, w.privilege,
                    false)
            WHERE l.id IS NULL
            UNION ALL SELECT 'ALTER', o.kind, o.id, o.next_owner, 'OWNER' FROM object o WHERE o.next_owner <> o.owner
        )
        SELECT CASE c.verb WHEN 'ALTER' THEN format(
                'GRANT CREATE ON SCHEMA %1$s TO %2$s; %3$s; REVOKE CREATE ON SCHEMA %1$s FROM %2$s',
                (SELECT h.oid::regnamespace FROM home h), c.grantee::regrole, string_agg(
                    format('ALTER ROUTINE %s OWNER TO %s', c.id::regprocedure, c.grantee::regrole), '; '))
            ELSE format('%s %s ON %s %s %s %s', c.verb, c.privilege, c.kind,
                      string_agg(CASE c.kind WHEN 'ROUTINE' THEN c.id::regprocedure::text
                          WHEN 'TYPE' THEN c.id::regtype::text
                                             ELSE c.id::regclass::text END, ', ' ORDER BY c.id),
                      CASE c.verb WHEN 'GRANT' THEN 'TO' ELSE 'FROM' END,
                      CASE c.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(c.grantee)) END
                          || CASE c.verb WHEN 'REVOKE' THEN ' CASCADE' ELSE '' END) END
        FROM change c JOIN object o ON o.kind = c.kind AND o.id = c.id
        WHERE c.verb <> 'REVOKE' OR pg_has_role(o.owner, 'USAGE')
            OR EXISTS (SELECT FROM wanted w WHERE w.kind = c.kind AND w.id = c.id)
        GROUP BY c.verb, c.kind, c.privilege, c.grantee ORDER BY c.verb DESC, c.kind, c.privilege, c.grantee
    LOOP
        EXECUTE v_statement;
    END LOOP;
END $function$;
