# Ends the server of directory $1 and removes the directory once standard input closes.
# The hang-up of a terminal must not end it before its work is done.
trap '' HUP INT TERM
cat >/dev/null

dir=$1
pid=
[ -r "$dir/data/postmaster.pid" ] && read -r pid <"$dir/data/postmaster.pid"

# alive reports whether the server's process exists. After a kill, another process may have its
# number.
alive() {
	[ -n "$pid" ] && kill -0 "$pid" 2>/dev/null &&
		{ tr '\0' ' ' <"/proc/$pid/cmdline" || ps -o args= -p "$pid"; } 2>/dev/null | grep -qF -- "$dir/data"
}

# Requests a fast shutdown, after 5 s an immediate shutdown, and kills the server after 10 s.
tries=0
while alive && [ "$tries" -le 100 ]; do
	case $tries in
	0) kill -INT "$pid" ;;
	50) kill -QUIT "$pid" ;;
	100) kill -KILL "$pid" ;;
	esac
	tries=$((tries + 1))
	sleep 0.1
done

# Tries for up to a minute, because a session that is still ending may write a file meanwhile.
tries=0
until rm -rf -- "$dir" 2>/dev/null || [ "$tries" -ge 600 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
