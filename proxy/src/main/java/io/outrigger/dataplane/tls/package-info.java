/** TLS to backends and from callers (A29): contexts, handshakes and the peers of connections. */
package io.outrigger.dataplane.tls;
