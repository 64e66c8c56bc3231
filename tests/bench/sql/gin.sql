DELETE FROM public.message m
WHERE m.ts < $1 AND NOT EXISTS (SELECT FROM public.tagged g WHERE g.messages @> ARRAY[m.id])
