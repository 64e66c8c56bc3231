DO $do$
BEGIN
    FOR i IN 1 .. (SELECT count(*) / 2 FROM public.message) LOOP
        INSERT INTO public.claimed (key, expires_at) VALUES ('0x' || i, clock_timestamp() + interval '15 minutes')
        ON CONFLICT (key) DO NOTHING;
    END LOOP;
END
$do$
