/**
 * The HTTP/2 seam: one socket's connection, its streams, frames and header compression. The layers
 * above see streams and header lists, never who cuts frames. Everything of one connection lives on
 * its event loop.
 */
@NullMarked
package io.outrigger.http2;

import org.jspecify.annotations.NullMarked;
