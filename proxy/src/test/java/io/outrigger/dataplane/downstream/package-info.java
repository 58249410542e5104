/** Tests of the local side. */
package io.outrigger.dataplane.downstream;
