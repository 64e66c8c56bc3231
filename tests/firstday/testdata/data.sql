-- What has come together in 200 days, all of it half a day off the bounds of a day, dates off them by days.
CREATE FUNCTION pg_temp.ago(days bigint) RETURNS timestamptz LANGUAGE sql AS $$SELECT now() - days * interval '1 day' - interval '12 hours'$$;
CREATE FUNCTION pg_temp.id(what text, n bigint) RETURNS uuid LANGUAGE sql AS $$SELECT md5(what || n)::uuid$$;

INSERT INTO crm.region SELECT 'R' || n, 'region ' || n FROM generate_series(1, 9) n;
INSERT INTO "Ops"."Job Kind" VALUES ('invoice', 3), ('route', 1), ('mail', 5);
INSERT INTO crm.setting VALUES ('vat', '19', pg_temp.ago(150)), ('currency', 'EUR', pg_temp.ago(190));
INSERT INTO "Ops".alembic_version VALUES ('a81f');
INSERT INTO crm.technician (name, hired_on) SELECT 'technician ' || n, current_date - 50 * n FROM generate_series(1, 30) n;
INSERT INTO crm.customer SELECT pg_temp.id('customer', n), 'customer ' || n, 'R' || (1 + n % 9), pg_temp.ago(n % 200) FROM generate_series(1, 1200) n;
INSERT INTO crm.asset SELECT pg_temp.id('asset', n), pg_temp.id('customer', n), 'S' || n FROM generate_series(1, 900) n;
INSERT INTO crm.technician_load SELECT n, 0 FROM generate_series(1, 30) n;

-- Every fourth lead is open. Of 12,000 activities five sixths are older than 30 days.
INSERT INTO crm.lead SELECT n, CASE WHEN n % 5 > 0 THEN pg_temp.id('customer', 1 + n % 1200) END,
    (ARRAY['won', 'lost', 'talking', 'lost'])[1 + n % 4]::crm.stage, pg_temp.ago(200), CASE WHEN n % 4 <> 2 THEN pg_temp.ago(n % 180) END
FROM generate_series(1, 1500) n;
INSERT INTO crm.activity (customer_id, what, occurred_at) SELECT pg_temp.id('customer', 1 + n % 1200), 'call', pg_temp.ago(n % 180) FROM generate_series(1, 12000) n;
-- A quote in eleven became a contract. Dates are 5 days off the tens.
INSERT INTO crm.quote SELECT n, pg_temp.id('customer', 1 + n % 1200), current_date - (10 * (n % 16) - 45)::integer, n FROM generate_series(1, 1600) n;
INSERT INTO crm.contract SELECT n, 11 * n, current_date - 5 FROM generate_series(1, 145) n;
INSERT INTO crm.contract VALUES (1000, NULL, current_date - 900);
-- Every third mail answers the one before it; drafts have no time; two in three have an attachment.
INSERT INTO crm.email_message SELECT pg_temp.id('mail', n), CASE WHEN n % 3 = 0 THEN pg_temp.id('mail', n - 1) END,
    CASE WHEN n % 7 > 0 THEN pg_temp.ago(n % 180) AT TIME ZONE 'UTC' END FROM generate_series(1, 1500) n;
INSERT INTO crm.attachment SELECT pg_temp.id('mail', n), 'scan', '\x00' FROM generate_series(1, 1500) n WHERE n % 3 > 0;

-- Of the visits every fifth is open, every ninth has a complaint, every tenth a note of the court.
INSERT INTO crm.visit SELECT pg_temp.id('visit', n), pg_temp.id('asset', 1 + n % 900), 1 + n % 30, pg_temp.ago(n % 180),
    CASE WHEN n % 5 > 0 THEN pg_temp.ago(n % 180) END FROM generate_series(1, 1800) n;
INSERT INTO crm.visit_note SELECT pg_temp.id('visit', n), no, CASE WHEN n % 10 = 3 AND no = 2 THEN 'court' ELSE 'staff' END
FROM generate_series(1, 1800) n, generate_series(1, 2) no;
INSERT INTO crm.visit_part SELECT pg_temp.id('visit', n), 'valve', 2 FROM generate_series(1, 1800) n WHERE n % 2 = 0;
INSERT INTO crm.complaint SELECT n, pg_temp.id('visit', 9 * n), 'too late' FROM generate_series(1, 200) n;

INSERT INTO crm.web_session SELECT 'token ' || n, pg_temp.id('customer', 1 + n % 1200), pg_temp.ago(n % 100 - 50) FROM generate_series(1, 1500) n;
INSERT INTO crm.gps_fix SELECT 1 + n % 30, (extract(epoch FROM pg_temp.ago(n % 180)) * 1000)::bigint + n, 52, 13 FROM generate_series(1, 2000) n;
INSERT INTO crm.search_cache SELECT 'query ' || n, '[]', pg_temp.ago(n % 180) FROM generate_series(1, 1200) n;
INSERT INTO crm.click SELECT 'visitor ' || n % 50, '/', pg_temp.ago(n % 180) FROM generate_series(1, 1500) n;
INSERT INTO "Ops"."Job Queue" ("Kind", "State", "finishedAt") SELECT (ARRAY['invoice', 'route', 'mail'])[1 + n % 3],
    (CASE WHEN n % 4 = 0 THEN 'queued' WHEN n % 4 = 1 THEN 'failed' ELSE 'done' END)::"Ops"."Job State",
    CASE WHEN n % 4 > 0 THEN pg_temp.ago(n % 30) END FROM generate_series(1, 1500) n;
INSERT INTO "Ops".import_row SELECT 'file ' || n % 40, n, CASE WHEN n % 6 > 0 THEN current_date - (10 * (n % 19) + 5)::integer END, 'x' FROM generate_series(1, 1500) n;
INSERT INTO "Ops".webhook_delivery SELECT pg_temp.id('hook', n), 'https://x', pg_temp.ago(180), CASE WHEN n % 8 > 0 THEN pg_temp.ago(n % 180) END FROM generate_series(1, 1500) n;
INSERT INTO "Ops"."Audit Log" SELECT n, 'system', pg_temp.ago(n % 180) FROM generate_series(1, 1500) n;

-- Partitions of 30 days, whose bounds lie 15 days off the thirties.
DO $$
BEGIN
    FOR n IN 0..6 LOOP
        EXECUTE format('CREATE TABLE "Ops".%I PARTITION OF "Ops".telemetry FOR VALUES FROM (%L) TO (%L)',
            'telemetry ' || n, current_date - 165 + 30 * n, current_date - 135 + 30 * n);
    END LOOP;
END
$$;
INSERT INTO "Ops".telemetry SELECT pg_temp.id('asset', n), pg_temp.ago(n % 160), 4 FROM generate_series(1, 1600) n;
ANALYZE;
SELECT pg_stat_force_next_flush();
