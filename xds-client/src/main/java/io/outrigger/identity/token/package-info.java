/**
 * Bearer tokens (RFC 6750) and their sources: a file with a JWT (A97), or a server that gives
 * tokens. Sources may block threads of their own; tokens are immutable. Nothing here knows gRPC.
 */
@NullMarked
package io.outrigger.identity.token;

import org.jspecify.annotations.NullMarked;
