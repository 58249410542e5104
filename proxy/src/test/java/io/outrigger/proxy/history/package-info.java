@NullMarked
package io.outrigger.proxy.history;

import org.jspecify.annotations.NullMarked;
