/**
 * Client-side TLS for connections to backends (A29) and to control planes (A65). Both use the same
 * choice of library, the same policy (versions, cipher suites, no session resumption), and the same
 * verification of certificates and description of failures. Any thread.
 */
@NullMarked
package io.outrigger.identity.tls;

import org.jspecify.annotations.NullMarked;
