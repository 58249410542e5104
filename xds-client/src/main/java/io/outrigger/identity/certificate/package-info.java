/**
 * Certificates, keys and roots: read from PEM files, kept up to date by the certificate providers
 * of the bootstrap (A29 "Certificate Provider Plugin Framework", A87), and what they say of a
 * server's chain. Readers are pure and run where blocking harms nobody; providers live on the
 * control loop; what they publish is immutable.
 */
@NullMarked
package io.outrigger.identity.certificate;

import org.jspecify.annotations.NullMarked;
