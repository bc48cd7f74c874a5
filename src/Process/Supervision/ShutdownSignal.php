<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * What a signal's handler leaves behind. It does nothing else: a handler runs in the middle of whatever is at hand.
 *
 * @internal
 */
final class ShutdownSignal
{
    /** How often it was asked for: whoever asks again does not want to wait. */
    public int $asked = 0;

    public ?int $signal = null;

    public function ask(int $signal): void
    {
        $this->asked++;
        $this->signal = $signal;
    }

    /** @return list<int> not SIGHUP: whoever starts a worker with nohup(1) wants that ignored, and PHP can not tell */
    public static function signals(): array
    {
        return defined('SIGTERM') ? [SIGTERM, SIGINT, SIGQUIT] : [];
    }
}
