UPDATE retention.install SET system_identifier = 1;
