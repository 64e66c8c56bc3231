DELETE FROM public.message m
WHERE m.ts < $1 AND NOT EXISTS (SELECT FROM public.open_case c WHERE c.message_id = m.id)
