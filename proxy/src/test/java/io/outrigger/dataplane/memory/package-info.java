/** Tests of what peers make the process hold. */
package io.outrigger.dataplane.memory;
