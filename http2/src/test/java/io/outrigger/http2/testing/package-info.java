/** Peers that send and receive single HTTP/2 frames, and the frames that they send. */
package io.outrigger.http2.testing;
