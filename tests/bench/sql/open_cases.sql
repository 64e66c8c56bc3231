-- Inserts a case that refers to no message.
INSERT INTO public.open_case VALUES (-floor(random() * 1e15)::bigint) ON CONFLICT DO NOTHING
