-- What an application does: one of the young rows is written.
UPDATE public.message SET device = device
WHERE id = (SELECT max(m.id) - floor(random() * 1000)::bigint FROM public.message m)
