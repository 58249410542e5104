/** Tests of HTTP/2 and HPACK. */
package io.outrigger.http2;
