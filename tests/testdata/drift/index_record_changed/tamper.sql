UPDATE retention.index_definition SET definition = replace(definition, 'created_at', 'body') WHERE index_name = 'pgretain_message_a851c807';
