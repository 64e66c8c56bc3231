-- _version returns the version (xmin) of an object of the catalog. It serves _marks for kinds
-- that few tables use, so that most sessions do not plan these queries. The result is NULL if the
-- object does not exist, or is of another kind.
CREATE OR REPLACE FUNCTION retention._version(p_class oid, p_id oid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $function$
BEGIN
    CASE p_class
    WHEN 'pg_rewrite'::regclass THEN RETURN (SELECT r.xmin FROM pg_rewrite r WHERE r.oid = p_id);
    WHEN 'pg_operator'::regclass THEN RETURN (SELECT r.xmin FROM pg_operator r WHERE r.oid = p_id);
    WHEN 'pg_opclass'::regclass THEN RETURN (SELECT r.xmin FROM pg_opclass r WHERE r.oid = p_id);
    WHEN 'pg_opfamily'::regclass THEN RETURN (SELECT r.xmin FROM pg_opfamily r WHERE r.oid = p_id);
    WHEN 'pg_collation'::regclass THEN RETURN (SELECT r.xmin FROM pg_collation r WHERE r.oid = p_id);
    WHEN 'pg_conversion'::regclass THEN RETURN (SELECT r.xmin FROM pg_conversion r WHERE r.oid = p_id);
    WHEN 'pg_statistic_ext'::regclass THEN RETURN (SELECT r.xmin FROM pg_statistic_ext r WHERE r.oid = p_id);
    WHEN 'pg_ts_config'::regclass THEN RETURN (SELECT r.xmin FROM pg_ts_config r WHERE r.oid = p_id);
    WHEN 'pg_ts_dict'::regclass THEN RETURN (SELECT r.xmin FROM pg_ts_dict r WHERE r.oid = p_id);
    WHEN 'pg_ts_parser'::regclass THEN RETURN (SELECT r.xmin FROM pg_ts_parser r WHERE r.oid = p_id);
    WHEN 'pg_ts_template'::regclass THEN RETURN (SELECT r.xmin FROM pg_ts_template r WHERE r.oid = p_id);
    ELSE RETURN NULL;
    END CASE;
END $function$;
