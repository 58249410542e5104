/** TLS to backends (A29): contexts from certificates, handshakes, what is known of a connection. */
@NullMarked
package io.outrigger.dataplane.tls;

import org.jspecify.annotations.NullMarked;
