package io.outrigger.dataplane.tls;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.tls.TlsSettings;
import io.outrigger.identity.certificate.CertificateStore;
import io.outrigger.identity.certificate.TlsMaterial;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds one TLS context for each distinct {@link TlsSettings} in use, and a new context when
 * certificates change (A29-20). An unused context is kept for {@link #LINGER}, because a connection
 * attempt after a back-off may need it.
 */
@ControlConfined
public final class TlsContexts {
  private static final Logger log = LoggerFactory.getLogger(TlsContexts.class);
  private static final Duration LINGER = Duration.ofMinutes(3);

  /**
   * Limits the time for which connection attempts wait for the first read of certificate files,
   * because a file system may hang.
   */
  public static final Duration FIRST_READING = Duration.ofSeconds(10);

  private final ControlLoop control;
  private final Executor tasks;
  private final CertificateStore certificates;
  private final Map<TlsSettings, Entry> entries = new HashMap<>();

  /**
   * @param tasks runs slow work: building contexts and parts of handshakes
   */
  public TlsContexts(ControlLoop control, Executor tasks, CertificateStore certificates) {
    this.control = control;
    this.tasks = tasks;
    this.certificates = certificates;
  }

  /**
   * Subscribes to the TLS context for the given settings.
   *
   * @param user receives each new context, or a status UNAVAILABLE with the reason why no context
   *     was built. Called on the control loop, after this method has returned
   * @return a task that ends the subscription; running the task again has no effect
   */
  public Runnable use(TlsSettings settings, Consumer<Outcome<TlsContext>> user) {
    control.checkInside();
    Entry entry = entries.computeIfAbsent(settings, Entry::new);
    entry.add(user);
    return () -> entry.remove(user);
  }

  private final class Entry {
    private final TlsSettings settings;
    private final Set<Consumer<Outcome<TlsContext>>> users = new LinkedHashSet<>();
    private final CertificateStore.Watch watch;

    /** The last TLS context or failure; null until the first context is built or has failed. */
    private @Nullable Outcome<TlsContext> current;

    /**
     * The number of received sets of certificates. A context is used only if its certificates are
     * the newest.
     */
    private int materials;

    /** The timer that ends the wait for the first set of certificates. */
    private TimerHandle reading = () -> {};

    /** The timer that removes this entry after {@link #LINGER} without users. */
    private TimerHandle removal = () -> {};

    Entry(TlsSettings settings) {
      this.settings = settings;
      watch = certificates.watch(settings, this::onMaterial);
      if (watch.isBeingRead()) {
        reading = control.schedule(FIRST_READING, () -> onMaterial(watch.material()));
      } else {
        onMaterial(watch.material());
      }
    }

    void add(Consumer<Outcome<TlsContext>> user) {
      removal.cancel();
      users.add(user);
      if (current != null && !current.isOk()) {
        onMaterial(watch.material()); // a context that could not be built is tried again
      } else if (current != null) {
        control.execute(() -> deliver(user));
      }
    }

    private void deliver(Consumer<Outcome<TlsContext>> user) {
      if (current != null && users.contains(user)) {
        user.accept(current);
      }
    }

    void remove(Consumer<Outcome<TlsContext>> user) {
      if (users.remove(user) && users.isEmpty()) {
        removal = control.schedule(LINGER, this::remove);
      }
    }

    private void remove() {
      entries.remove(settings);
      reading.cancel();
      watch.close();
    }

    private void onMaterial(Outcome<TlsMaterial> material) {
      reading.cancel();
      int number = ++materials;
      if (material instanceof Outcome.Ok<TlsMaterial> ok) {
        tasks.execute(() -> build(ok.value(), number));
      } else {
        control.execute(() -> publish(Outcome.failed(material.status()), number));
      }
    }

    private void build(TlsMaterial material, int number) {
      Outcome<TlsContext> built;
      try {
        built = Outcome.ok(TlsContext.of(material, settings.alpn(), tasks));
      } catch (GeneralSecurityException | RuntimeException | Error e) { // users wait for a result
        built = Outcome.failed(RpcStatus.unavailable("certificates cannot be used for TLS: " + e));
      }
      Outcome<TlsContext> result = built;
      control.execute(
          () -> {
            if (result.isOk() || current == null || !current.isOk()) {
              publish(result, number);
            } else {
              log.warn("the newest certificates are not used: {}", result.status().message());
            }
          });
    }

    private void publish(Outcome<TlsContext> next, int number) {
      if (number == materials) {
        current = next;
        List.copyOf(users).forEach(this::deliver);
      }
    }
  }
}
