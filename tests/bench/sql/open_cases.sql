-- A case that concerns no row.
INSERT INTO public.open_case VALUES (-floor(random() * 1e15)::bigint) ON CONFLICT DO NOTHING
