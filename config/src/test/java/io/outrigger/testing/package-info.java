/** Fixtures shared by the tests of all modules: fake time, scripted randomness, row names. */
@NullMarked
package io.outrigger.testing;

import org.jspecify.annotations.NullMarked;
