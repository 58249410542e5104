/**
 * The TLS settings of connections to a cluster's endpoints (A29, A82, A101) and of connections from
 * a server's clients. TLS settings consist of the sources of certificates and roots, the accepted
 * names, and the server name to send. All types are immutable; any thread may use them.
 */
package io.outrigger.config.tls;
