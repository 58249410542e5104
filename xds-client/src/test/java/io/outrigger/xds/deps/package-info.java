/** Tests of the resource graph. */
@NullMarked
package io.outrigger.xds.deps;

import org.jspecify.annotations.NullMarked;
