DELETE FROM public.queue
WHERE id IN (SELECT x.id
             FROM (SELECT q.id, row_number() OVER (PARTITION BY device
                                                   ORDER BY c.message_id IS NOT NULL DESC, ts DESC, id DESC) AS place
                   FROM public.queue q LEFT JOIN public.open_case c ON c.message_id = q.id) x
             WHERE x.place > 1000)
