/** Tests of the warm-up. */
@NullMarked
package io.outrigger.program.warmup;

import org.jspecify.annotations.NullMarked;
