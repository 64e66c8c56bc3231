WITH gone AS (DELETE FROM public.message WHERE ts < $1 RETURNING *)
INSERT INTO public.daily SELECT (g.ts AT TIME ZONE 'UTC')::date, g.device, count(*) FROM gone g GROUP BY 1, 2
ON CONFLICT (day, device) DO UPDATE SET n = daily.n + excluded.n
