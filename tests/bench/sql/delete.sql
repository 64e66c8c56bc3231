DELETE FROM public.message WHERE ts < $1
