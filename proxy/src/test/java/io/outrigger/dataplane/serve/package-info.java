/** Tests of served ports. */
package io.outrigger.dataplane.serve;
