-- _local_holds_and_settings returns the holds, pauses and windows of this node, as one text for
-- each. Other nodes of Citus call it to compare them, because they do not move along with a shard.
CREATE OR REPLACE FUNCTION retention._local_holds_and_settings() RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $function$
    SELECT ARRAY(SELECT concat_ws(' ', 'hold on', h.table_name, h.match, 'until ' || extract(epoch FROM h.until))
                 FROM retention.hold h WHERE h.released_at IS NULL AND (h.until IS NULL OR h.until > clock_timestamp())
                 UNION SELECT concat_ws(' ', s.policy, s.name, s.value)
                 FROM retention.setting s WHERE s.name <> 'accepted')
$function$;
