-- Instants are read and shown in the zone of the install. No row: the migrations stopped half way.
SELECT pg_catalog.set_config('TimeZone', i.time_zone, false) FROM retention.install i;
