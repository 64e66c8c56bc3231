package install

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"
)

// TestHintsOnTLS connects to servers that offer no TLS, or a certificate that nobody signed. The
// hint names TLS and the setting.
func TestHintsOnTLS(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer byte // to the request for TLS
		mode   string
		hint   string
	}{
		"no TLS":                 {'N', "require", "set PGSSLMODE=prefer"},
		"an unknown certificate": {'S', "verify-full", "PGSSLROOTCERT"},
		"no file of authorities": {'S', "verify-ca&sslrootcert=/no/such/file", "PGSSLROOTCERT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := fakeServer(t, c.answer)
			_, err := Connect(t.Context(), "postgres://anna@"+address+"/shop?sslmode="+c.mode)
			list := Diagnostics(err)
			if len(list) != 1 || !strings.Contains(list[0].Hint, c.hint) {
				t.Errorf("%+v, want a hint with %s", list, c.hint)
			}
		})
	}
}

// fakeServer accepts connections and answers their request for TLS. After 'S' it speaks TLS with a
// certificate that it has signed itself.
func fakeServer(t *testing.T, answer byte) (address string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	own := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"127.0.0.1"}}
	signed, err := x509.CreateCertificate(rand.Reader, own, own, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{signed}, PrivateKey: key}}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			request := make([]byte, 8)
			_, _ = conn.Read(request)
			_, _ = conn.Write([]byte{answer})
			if answer == 'S' {
				_ = tls.Server(conn, config).Handshake()
			}
			conn.Close()
		}
	}()
	return listener.Addr().String()
}
