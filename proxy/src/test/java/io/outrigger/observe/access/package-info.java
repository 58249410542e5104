@NullMarked
package io.outrigger.observe.access;

import org.jspecify.annotations.NullMarked;
