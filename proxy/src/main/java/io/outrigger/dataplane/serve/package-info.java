/**
 * The ports of {@code --serve}: accepts the connections of peers, finds the filter chain of each
 * connection, terminates TLS and passes requests to the app (A36, A29, A41). The control loop opens
 * and closes ports and publishes configurations; event loops read them.
 */
@NullMarked
package io.outrigger.dataplane.serve;

import org.jspecify.annotations.NullMarked;
