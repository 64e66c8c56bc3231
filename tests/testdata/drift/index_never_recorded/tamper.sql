DELETE FROM retention.index_definition;
