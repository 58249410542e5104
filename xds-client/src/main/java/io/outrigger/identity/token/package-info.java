/**
 * Bearer tokens (RFC 6750) and their sources: a file with a JWT (A97), or a token server. A source
 * may have threads that block. Tokens are immutable. The package does not depend on gRPC.
 */
package io.outrigger.identity.token;
