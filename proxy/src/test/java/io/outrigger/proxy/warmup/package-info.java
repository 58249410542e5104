/** Tests of the warm-up. */
@NullMarked
package io.outrigger.proxy.warmup;

import org.jspecify.annotations.NullMarked;
