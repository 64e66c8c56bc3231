DELETE FROM public.queue
WHERE id IN (SELECT x.id
             FROM (SELECT id, row_number() OVER (PARTITION BY device ORDER BY ts DESC, id DESC) AS place
                   FROM public.queue) x
             WHERE x.place > 1000)
