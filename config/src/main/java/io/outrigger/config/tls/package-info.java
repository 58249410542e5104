/**
 * What a cluster asks of TLS to its endpoints (A29, A82, A101): where identity and roots come from,
 * which names of a server are accepted, and which name it is asked for. Immutable; any thread.
 */
@NullMarked
package io.outrigger.config.tls;

import org.jspecify.annotations.NullMarked;
