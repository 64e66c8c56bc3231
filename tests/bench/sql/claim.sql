DO $do$
BEGIN
    FOR i IN 1 .. (SELECT count(*) / 2 FROM public.message) LOOP
        PERFORM retention.claims_claim('0x' || i);
    END LOOP;
END
$do$
