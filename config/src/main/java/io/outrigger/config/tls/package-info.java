/**
 * A cluster's TLS settings for connections to its endpoints (A29, A82, A101), and a server's for
 * the connections of its clients: the sources of identity and roots, the accepted names, and the
 * server name to send. All types are immutable; any thread may use them.
 */
@NullMarked
package io.outrigger.config.tls;

import org.jspecify.annotations.NullMarked;
