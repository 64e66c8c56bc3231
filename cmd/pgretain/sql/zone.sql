-- Sets the time zone of the session to the time zone of the install. Returns the version of the
-- runtime.
-- Returns no row if the migrations were not all applied.
SELECT pg_catalog.set_config('TimeZone', i.time_zone, false), i.runtime_version FROM retention.install i;
