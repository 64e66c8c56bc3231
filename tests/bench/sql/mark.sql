UPDATE public.task SET done = true WHERE ts < $1 AND NOT done
