-- What has come together in 150 days, all of it twelve hours off the bounds of a day. Two fifths are older than 90 days.
INSERT INTO net.city SELECT 'C' || n, 'city ' || n FROM generate_series(1, 20) n;
INSERT INTO net.locker (city_code, name) SELECT 'C' || (1 + n % 20), 'locker ' || n FROM generate_series(1, 40) n;
INSERT INTO net.price SELECT n, 'M', 250 FROM generate_series(1, 40) n;
INSERT INTO public."user" SELECT n, 'user ' || n, now() FROM generate_series(1, 2000) n;
INSERT INTO public.invoice SELECT n, n, current_date, 10 FROM generate_series(1, 1500) n;
CREATE FUNCTION pg_temp.ago(n bigint) RETURNS timestamptz LANGUAGE sql AS 'SELECT now() - (n % 150) * interval ''1 day'' - interval ''12 hours''';

-- Every third parcel is still on its way, every seventh has a claim, every fifth a scan of yesterday.
INSERT INTO net.parcel SELECT md5(n::text)::uuid, 1 + n % 40, n, CASE WHEN n % 3 > 0 THEN pg_temp.ago(n) END, pg_temp.ago(n) FROM generate_series(1, 2000) n;
INSERT INTO net.parcel_label SELECT md5(n::text)::uuid, 1, 'label' FROM generate_series(1, 2000) n;
INSERT INTO net.parcel_scan SELECT n, md5(n::text)::uuid, 7, CASE WHEN n % 5 = 0 THEN pg_temp.ago(0) ELSE pg_temp.ago(n) END FROM generate_series(1, 2000) n;
INSERT INTO net.scan_photo SELECT n, '\x00' FROM generate_series(1, 2000) n;
INSERT INTO net.claim SELECT n, md5((7 * n)::text)::uuid, 'where is it?' FROM generate_series(1, 285) n;
INSERT INTO net.survey SELECT n, md5(n::text)::uuid, 5 FROM generate_series(1, 2000) n;

INSERT INTO public.session SELECT 'token ' || n, n, now() + ((n % 100) - 30) * interval '1 day' + interval '12 hours' FROM generate_series(1, 2000) n;
INSERT INTO public.pickup_code SELECT n, now() + ((n % 100) - 30) * interval '1 day' + interval '12 hours', 'code' FROM generate_series(1, 2000) n;
INSERT INTO public.outbox SELECT n, '{}', pg_temp.ago(n), CASE WHEN n % 10 > 0 THEN pg_temp.ago(n) END FROM generate_series(1, 2000) n;
INSERT INTO public.event SELECT n, 'seen', pg_temp.ago(n) FROM generate_series(1, 12000) n;
INSERT INTO audit.event SELECT n, 'system', pg_temp.ago(n) FROM generate_series(1, 3000) n;
INSERT INTO net."Door Log" SELECT n, 1 + n % 40, pg_temp.ago(n) FROM generate_series(1, 2000) n;
INSERT INTO net.heartbeat SELECT n, extract(epoch FROM pg_temp.ago(n)) * 1000 FROM generate_series(1, 2000) n;
INSERT INTO net.message SELECT n, CASE WHEN n % 2 = 0 THEN n - 1 END, n, pg_temp.ago(15000 - n) FROM generate_series(1, 2000) n WHERE n % 150 > 0;
INSERT INTO net.ticket SELECT n, NULL, pg_temp.ago(n), pg_temp.ago(n) FROM generate_series(1, 2000) n;
INSERT INTO public.cache SELECT 'key ' || n, pg_temp.ago(n) FROM generate_series(1, 2000) n;
INSERT INTO net.reading SELECT n, '2026-10-05', 4 FROM generate_series(1, 2000) n;
ANALYZE;
SELECT pg_stat_force_next_flush();
