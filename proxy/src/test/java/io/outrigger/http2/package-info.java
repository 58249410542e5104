/** Tests of the HTTP/2 seam and of what implements it. */
@NullMarked
package io.outrigger.http2;

import org.jspecify.annotations.NullMarked;
