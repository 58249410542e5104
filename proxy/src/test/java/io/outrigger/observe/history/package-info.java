@NullMarked
package io.outrigger.observe.history;

import org.jspecify.annotations.NullMarked;
