/** Tests of the local side. */
@NullMarked
package io.outrigger.proxy.downstream;

import org.jspecify.annotations.NullMarked;
