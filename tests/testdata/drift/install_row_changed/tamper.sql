UPDATE retention.install SET protect = '{}', time_zone = 'Asia/Tokyo';
