UPDATE public.task SET ts = $1 + interval '100 years' WHERE ts < $1
