WITH gone AS (DELETE FROM public.message WHERE ts < $1 RETURNING *)
INSERT INTO public.old_message SELECT g.*, 1 FROM gone g
