-- Holds the youngest row, which is not due.
SELECT retention.place_hold('public.message', (SELECT max(m.id)::text FROM public.message m), 'bench')
