WITH gone AS (
    DELETE FROM public.letter m
    WHERE m.ts < $1 AND NOT EXISTS (SELECT FROM public.open_case c WHERE c.message_id = m.id)
    RETURNING *)
INSERT INTO public.old_letter SELECT g.*, 1 FROM gone g
