-- Updates one of the newest rows, like an application.
UPDATE public.message SET device = device
WHERE id = (SELECT max(m.id) - floor(random() * 1000)::bigint FROM public.message m)
