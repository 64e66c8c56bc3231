-- _count_in_table returns counts by table, with p_rows added to those of p_table.
CREATE OR REPLACE FUNCTION retention._count_in_table(p_counts jsonb, p_table text, p_rows bigint) RETURNS jsonb
LANGUAGE sql STABLE AS $function$
    SELECT retention._add_counts(coalesce(p_counts, '{}'), jsonb_build_object(p_table, p_rows))
$function$;
