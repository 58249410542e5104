/**
 * TLS for connections to backends and from clients (A29), and to control planes (A65). All
 * connections use the same choice of library, the same policy (versions, cipher suites, no session
 * resumption), and the same verification of certificates and description of failures. Thread-safe.
 */
@NullMarked
package io.outrigger.identity.tls;

import org.jspecify.annotations.NullMarked;
