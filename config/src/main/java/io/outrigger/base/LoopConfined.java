package io.outrigger.base;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

/** Marks a type of which each instance belongs to one loop, most often to an event loop. */
@Documented
@Target(ElementType.TYPE)
public @interface LoopConfined {}
