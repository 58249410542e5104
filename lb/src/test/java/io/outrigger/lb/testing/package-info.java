/** Fixtures for tests of balancing: scripted connections, a recording parent, a whole tree. */
package io.outrigger.lb.testing;
