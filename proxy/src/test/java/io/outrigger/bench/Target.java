package io.outrigger.bench;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** What a benchmark may cost at most, on the machine that the project is measured on. */
@Retention(RetentionPolicy.RUNTIME)
@java.lang.annotation.Target(ElementType.METHOD)
@interface Target {
  /** Nanoseconds per operation; 0: none is set, the figure is for comparison. */
  double nanos() default 0;

  /** Bytes allocated per operation; negative: none is set. */
  double bytes() default -1;
}
