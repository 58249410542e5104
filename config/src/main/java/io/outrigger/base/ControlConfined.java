package io.outrigger.base;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

/**
 * Marks a type whose state only the {@link ControlLoop} touches; its entry points check the thread.
 */
@Documented
@Target(ElementType.TYPE)
public @interface ControlConfined {}
