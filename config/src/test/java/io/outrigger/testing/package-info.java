/** Fixtures shared by the tests of all modules: fake time, scripted randomness, row names. */
package io.outrigger.testing;
