/**
 * HTTP/2 (RFC 9113) and HPACK (RFC 7541): the connection of one socket, its streams, frames and
 * header compression. Other packages see streams and header lists, but no frames. All objects of a
 * connection are confined to the connection's event loop.
 */
package io.outrigger.http2;
