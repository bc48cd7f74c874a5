<?php

declare(strict_types=1);

namespace Headroom\Sink\Callback;

use Closure;
use Headroom\Sink\Delivery;
use Headroom\Sink\Inspectable;
use Headroom\Sink\Sink;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Throwable;

/**
 * Passes each batch to a handler of the application. Delivers at least once.
 *
 * @internal
 */
final readonly class BatchHandlerSink implements Inspectable, Sink
{
    public function __construct(private Handler $handler) {}

    /**
     * Returns the sink for the handler's parameter: a batch sink for Batch, an event sink for Record.
     *
     * @param Closure(class-string): object $make
     * @param Closure(Throwable): ?string $rejectionReason returns why the exception rejects the event for good, null if
     * a retry may help
     * @param Closure(Throwable): string $message of the exception, for logs and pages: without values of events
     *
     * @throws InvalidConfig
     */
    public static function fromOptions(
        ConfigReader $options,
        Closure $make,
        Closure $rejectionReason,
        Closure $message,
    ): self|EventHandlerSink {
        $handler = Handler::fromOptions($options, $make, $rejectionReason, $message);

        return $handler->takesBatches ? new self($handler) : new EventHandlerSink($handler);
    }

    public function deliver(Delivery $delivery): void
    {
        $this->handler->handle($delivery->batch, $delivery);
    }

    public function inspect(): array
    {
        return $this->handler->inspect();
    }
}
