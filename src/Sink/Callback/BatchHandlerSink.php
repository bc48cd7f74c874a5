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
 * Hands each batch to a handler of the application's: at least once.
 *
 * @internal
 */
final readonly class BatchHandlerSink implements Inspectable, Sink
{
    public function __construct(private Handler $handler) {}

    /**
     * The one that suits the handler.
     *
     * @param Closure(class-string): object $make
     * @param Closure(Throwable): ?string $judge why an exception means that the event is refused for good; null when it does not
     *
     * @throws InvalidConfig
     */
    public static function orEach(ConfigReader $options, Closure $make, Closure $judge): self|EventHandlerSink
    {
        $handler = Handler::fromOptions($options, $make, $judge);

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
