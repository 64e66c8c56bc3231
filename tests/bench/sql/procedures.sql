-- Loops as people write them, with batches of 5000 rows, and a function that fills the tables.
CREATE SCHEMA bench;

-- bench.load fills a table. Row g is g seconds younger than the start of 2020. Each device has 2000
-- rows. There are at most 12,000 open cases, all for rows that are not due.
CREATE FUNCTION bench.load(p_table regclass, p_rows bigint) RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
    EXECUTE format($sql$
        INSERT INTO %s (id, ts, device, body)
        SELECT g, timestamptz '2020-01-01 00:00:00+00' + g * interval '1 second',
               'device ' || g %% (%s / 2000), repeat('x', 140)
        FROM generate_series(1, %s) g$sql$, p_table, p_rows, p_rows);
    INSERT INTO public.open_case
    SELECT p_rows - g FROM generate_series(0, least(12000, p_rows / 2) - 1) g
    ON CONFLICT DO NOTHING;
    INSERT INTO public.tagged SELECT ARRAY[-g, -g - 1] FROM generate_series(1, p_rows / 40) g;
    INSERT INTO public.page (letter_id) SELECT l.id FROM public.letter l CROSS JOIN generate_series(1, 2);
    INSERT INTO public.payment SELECT b.id FROM public.bill b WHERE b.id % 100 = 50;
END
$function$;

CREATE PROCEDURE bench.id_in(p_before timestamptz)
LANGUAGE plpgsql
AS $procedure$
BEGIN
    LOOP
        DELETE FROM public.message
        WHERE id IN (SELECT m.id FROM public.message m
                     WHERE m.ts < p_before
                     ORDER BY m.ts, m.id
                     LIMIT 5000
                     FOR UPDATE SKIP LOCKED);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
END
$procedure$;

-- Locks rows in one statement, then checks and deletes them in another one with a newer snapshot.
CREATE PROCEDURE bench.two_statements(p_before timestamptz)
LANGUAGE plpgsql
AS $procedure$
DECLARE
    v_rows tid[];
BEGIN
    LOOP
        v_rows := ARRAY(SELECT m.ctid FROM public.message m
                        WHERE m.ts < p_before
                        ORDER BY m.ts, m.id
                        LIMIT 5000
                        FOR UPDATE SKIP LOCKED);
        EXIT WHEN v_rows = '{}';
        DELETE FROM public.message m
        WHERE m.ctid = ANY (v_rows)
          AND (EXISTS (SELECT FROM public.open_case c WHERE c.message_id = m.id)) IS FALSE;
        COMMIT;
    END LOOP;
END
$procedure$;

CREATE PROCEDURE bench.ctid_any(p_before timestamptz)
LANGUAGE plpgsql
AS $procedure$
BEGIN
    LOOP
        DELETE FROM public.message
        WHERE ctid = ANY (ARRAY(SELECT m.ctid FROM public.message m
                                WHERE m.ts < p_before
                                ORDER BY m.ts, m.id
                                LIMIT 5000));
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
END
$procedure$;
