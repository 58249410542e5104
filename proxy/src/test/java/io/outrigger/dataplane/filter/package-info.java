@NullMarked
package io.outrigger.dataplane.filter;

import org.jspecify.annotations.NullMarked;
