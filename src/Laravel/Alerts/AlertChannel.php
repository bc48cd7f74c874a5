<?php

declare(strict_types=1);

namespace Headroom\Laravel\Alerts;

use Throwable;

/**
 * A receiver of the alerts.
 *
 * @internal
 */
interface AlertChannel
{
    /** The name in the output of `headroom:notify`, and the key of the channel's record. */
    public function name(): string;

    /**
     * Returns when the receiver has taken the message.
     *
     * @throws Throwable it has not; the message contains no secret of the configuration
     */
    public function send(AlertMessage $message): void;
}
