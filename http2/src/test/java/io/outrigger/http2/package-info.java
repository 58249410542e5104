/** Tests of HTTP/2 and HPACK. */
@NullMarked
package io.outrigger.http2;

import org.jspecify.annotations.NullMarked;
