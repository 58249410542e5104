/**
 * Tokens of Google's application default credentials, for {@code google_default} channel
 * credentials: from a key file that the environment names, or from the metadata server. Written on
 * the JDK's own HTTP client, without Google's library (decision xds-0048). Requests run on a thread
 * of their own; nothing here is loaded unless a bootstrap asks for it.
 */
@NullMarked
package io.outrigger.identity.google;

import org.jspecify.annotations.NullMarked;
