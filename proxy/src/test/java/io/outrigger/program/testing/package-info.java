/** Fixtures that tests of several packages use; those of one package stand in that package. */
@NullMarked
package io.outrigger.program.testing;

import org.jspecify.annotations.NullMarked;
