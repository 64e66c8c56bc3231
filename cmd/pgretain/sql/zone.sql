-- Instants are read and shown in the zone of the install. The version tells whether we fit together.
-- No row: the migrations stopped half way.
SELECT pg_catalog.set_config('TimeZone', i.time_zone, false), i.runtime_version FROM retention.install i;
