-- report_rows returns the rows of a report at a given time, and which of them alert. It takes as
-- long as the report's query. Raises 22023 for a policy. It locks nothing. The runner, operators
-- and viewers may call it.
-- Example: SELECT * FROM retention.report_rows('stale_accounts');
CREATE OR REPLACE FUNCTION retention.report_rows(report text, as_of timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (answer jsonb, alert boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF NOT (retention._get_policy(report_rows.report)).report THEN
        RAISE invalid_parameter_value USING MESSAGE = format('"%s" is a policy, not a report', report_rows.report);
    END IF;
    RETURN QUERY SELECT l -> 'answer', (l -> 'alert')::boolean
    FROM retention._query_as_worker(format('SELECT to_jsonb(r) FROM retention.%I(($1 #>> ''{}'')::timestamptz) r',
                                report_rows.report || '_report'), to_jsonb(report_rows.as_of), report_rows.report) l;
END $function$;
