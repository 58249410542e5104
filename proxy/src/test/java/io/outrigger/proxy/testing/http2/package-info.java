/** Peers that speak HTTP/2 frame by frame, and what they send. */
@NullMarked
package io.outrigger.proxy.testing.http2;

import org.jspecify.annotations.NullMarked;
