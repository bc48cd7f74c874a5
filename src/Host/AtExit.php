<?php

declare(strict_types=1);

namespace Headroom\Host;

use WeakReference;

/**
 * @internal
 */
final readonly class AtExit
{
    /** A fatal error ends the script without destructors, but not without shutdown functions. */
    public static function stop(Stoppable $subject): void
    {
        $weak = WeakReference::create($subject);
        register_shutdown_function(static fn () => $weak->get()?->stop());
    }
}
