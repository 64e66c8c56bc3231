SELECT retention.pause();
