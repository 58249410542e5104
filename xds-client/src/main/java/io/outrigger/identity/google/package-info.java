/**
 * Tokens of Google's application default credentials, for {@code google_default} channel
 * credentials. The credentials come from a key file that the environment names, or from the
 * metadata server. The package uses the JDK's HTTP client instead of Google's library (decision
 * xds-0048). Token requests run on a thread of their own. No class of the package is loaded unless
 * a bootstrap uses Google's credentials.
 */
package io.outrigger.identity.google;
