<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * Records a signal for the main loop. The handler does nothing else, because it may interrupt any code.
 *
 * @internal
 */
final class ShutdownSignal
{
    /** Number of signals: at the second one the process no longer waits. */
    public int $asked = 0;

    public ?int $signal = null;

    public function ask(int $signal): void
    {
        $this->asked++;
        $this->signal = $signal;
    }

    /** @return list<int> without SIGHUP: nohup(1) sets it to be ignored, and PHP cannot detect that */
    public static function signals(): array
    {
        return defined('SIGTERM') ? [SIGTERM, SIGINT, SIGQUIT] : [];
    }
}
