/**
 * Reads certificates, keys and roots, and verifies certificate chains of peers. The certificate
 * providers of the bootstrap keep the certificates up to date (A29 "Certificate Provider Plugin
 * Framework", A87). Readers of PEM files may block, so they run off the control loop. Providers are
 * confined to the control loop and publish immutable values.
 */
@NullMarked
package io.outrigger.identity.certificate;

import org.jspecify.annotations.NullMarked;
