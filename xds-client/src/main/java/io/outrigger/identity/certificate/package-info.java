/**
 * Reads certificates, keys and roots, and verifies certificate chains of peers. The bootstrap's
 * certificate providers keep the certificates up to date (A29 "Certificate Provider Plugin
 * Framework", A87). Reading files may block, so it happens off the control loop. Providers are
 * confined to the control loop and publish immutable snapshots.
 */
package io.outrigger.identity.certificate;
