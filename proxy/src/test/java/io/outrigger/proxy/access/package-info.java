@NullMarked
package io.outrigger.proxy.access;

import org.jspecify.annotations.NullMarked;
