/** TLS to backends and from callers (A29): contexts, handshakes and the peers of connections. */
@NullMarked
package io.outrigger.dataplane.tls;

import org.jspecify.annotations.NullMarked;
