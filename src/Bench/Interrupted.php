<?php

declare(strict_types=1);

namespace Headroom\Bench;

use Headroom\Core\HeadroomException;
use RuntimeException;
use Throwable;

/**
 * The user pressed Ctrl-C or closed the terminal. The measurement removes what it has created on the way out.
 *
 * @internal
 */
final class Interrupted extends RuntimeException implements HeadroomException
{
    private function __construct(string $message, public readonly int $signal)
    {
        parent::__construct($message);
    }

    /** Laravel's connections wrap each exception that is thrown while they work. */
    public static function within(Throwable $failure): ?self
    {
        for ($cause = $failure; $cause !== null; $cause = $cause->getPrevious()) {
            if ($cause instanceof self) {
                return $cause;
            }
        }

        return null;
    }

    public static function bySignal(int $signal = 2): self
    {
        return new self('Interrupted. Everything that the benchmark created is removed.', $signal);
    }
}
