/** Fixtures that tests of several packages use; those of one package stand in that package. */
package io.outrigger.program.testing;
