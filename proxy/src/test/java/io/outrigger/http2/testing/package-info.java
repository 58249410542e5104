/** Peers that speak HTTP/2 frame by frame, and what they send. */
@NullMarked
package io.outrigger.http2.testing;

import org.jspecify.annotations.NullMarked;
