# Ends the server of directory $1 and removes the directory once standard input closes.
# The hang-up of a terminal must not end it before its work is done.
trap '' HUP INT TERM
cat >/dev/null

dir=$1
pid=
[ -r "$dir/data/postmaster.pid" ] && read -r pid <"$dir/data/postmaster.pid"

# After a kill the file names a process that is gone, and whose number another may have by now.
alive() {
	[ -n "$pid" ] && kill -0 "$pid" 2>/dev/null &&
		{ tr '\0' ' ' <"/proc/$pid/cmdline" || ps -o args= -p "$pid"; } 2>/dev/null | grep -qF -- "$dir/data"
}

# By steps of 0.1 s: a fast shutdown, after 5 s an immediate one, after 10 s the end.
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

# A session that notices late may still write a file while the directory goes. For up to a minute.
tries=0
until rm -rf -- "$dir" 2>/dev/null || [ "$tries" -ge 600 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
