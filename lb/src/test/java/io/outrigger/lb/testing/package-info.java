/** Fixtures for tests of balancing: scripted connections, a recording parent, a whole tree. */
@NullMarked
package io.outrigger.lb.testing;

import org.jspecify.annotations.NullMarked;
