package kit

import "os"

// fireVariable is the name of the environment variable that "make fire" sets.
const fireVariable = "PGRETAIN_TEST_FIRE"

// Fire reports whether "make fire" runs the tests. Then they try many more cases than in "make
// test".
func Fire() bool { return os.Getenv(fireVariable) != "" }
