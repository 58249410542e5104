/**
 * TLS for connections to backends and from clients (A29), and to control planes (A65). All
 * connections share the choice of library, the policy (versions, cipher suites, no session
 * resumption), the verification of certificates and the descriptions of failures. Thread-safe.
 */
@NullMarked
package io.outrigger.identity.tls;

import org.jspecify.annotations.NullMarked;
