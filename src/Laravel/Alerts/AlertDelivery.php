<?php

declare(strict_types=1);

namespace Headroom\Laravel\Alerts;

/**
 * What became of the message to one channel.
 *
 * @internal
 */
final readonly class AlertDelivery
{
    /** @param ?string $failure null if the channel has taken it */
    public function __construct(public string $channel, public AlertMessage $message, public ?string $failure) {}
}
