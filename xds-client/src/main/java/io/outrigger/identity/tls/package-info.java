/**
 * TLS for connections to backends and from clients (A29), and to control planes (A65). All
 * connections share the choice of library, the versions and cipher suites, the verification of
 * certificates and the descriptions of failures. Sessions are not resumed. Thread-safe.
 */
package io.outrigger.identity.tls;
