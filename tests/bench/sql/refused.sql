DELETE FROM public.bill b
WHERE b.ts < $1 AND NOT EXISTS (SELECT FROM public.payment p WHERE p.bill_id = b.id)
