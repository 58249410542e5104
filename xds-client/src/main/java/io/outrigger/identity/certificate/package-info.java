/**
 * Certificates, keys and roots: readers of PEM files, the certificate providers of the bootstrap,
 * which keep the certificates up to date (A29 "Certificate Provider Plugin Framework", A87), and
 * the verification of a peer's chain. Readers are pure functions that may block, so they run off
 * the control loop. Providers are confined to the control loop and publish immutable values.
 */
@NullMarked
package io.outrigger.identity.certificate;

import org.jspecify.annotations.NullMarked;
