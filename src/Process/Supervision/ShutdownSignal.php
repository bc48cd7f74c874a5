<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * A signal handler only notes the signal here: it may run in the middle of a write.
 *
 * @internal
 */
final class ShutdownSignal
{
    /** The number of signals. A second one skips the grace period. */
    public int $asked = 0;

    public ?int $signal = null;

    public function ask(int $signal): void
    {
        $this->asked++;
        $this->signal = $signal;
    }

    /** @return list<int> not SIGHUP: nohup(1) has it ignored, and PHP cannot see that */
    public static function signals(): array
    {
        return defined('SIGTERM') ? [SIGTERM, SIGINT, SIGQUIT] : [];
    }
}
