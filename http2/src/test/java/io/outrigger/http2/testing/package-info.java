/** Peers that send and receive single HTTP/2 frames, and the frames that they send. */
@NullMarked
package io.outrigger.http2.testing;

import org.jspecify.annotations.NullMarked;
